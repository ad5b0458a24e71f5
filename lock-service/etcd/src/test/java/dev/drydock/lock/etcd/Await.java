package dev.drydock.lock.etcd;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition, never for a time. */
final class Await {
  private Await() {}

  static void until(String what, Duration longest, BooleanSupplier condition) {
    long end = System.nanoTime() + longest.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("not within " + longest + ": " + what);
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  static void until(String what, BooleanSupplier condition) {
    until(what, Duration.ofSeconds(20), condition);
  }
}
