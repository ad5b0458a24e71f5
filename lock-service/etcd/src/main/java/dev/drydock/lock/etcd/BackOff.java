package dev.drydock.lock.etcd;

import java.time.Duration;

/** Pauses between tries, longer and longer. Confined to one thread. */
final class BackOff {
  private static final Duration FIRST = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private Duration next = FIRST;

  /** Returns early when the thread is interrupted, and leaves it so. */
  void rest() {
    try {
      Thread.sleep(next);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
    Duration longer = next.multipliedBy(2);
    next = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
  }
}
