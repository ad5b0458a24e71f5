package dev.drydock.lock.etcd.bench;

import dev.drydock.lock.etcd.HeldLock;
import dev.drydock.lock.etcd.LockClient;
import dev.drydock.lock.etcd.SessionLostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * What a queue costs by its length.
 *
 * @param waiters how many wait for one host
 * @param pairMillis median of what somebody else takes meanwhile for another host, there and back
 * @param handoversPerSecond how often the host goes on to the next, who waits again at the end
 */
record Growth(int waiters, double pairMillis, double handoversPerSecond) {

  static Growth measure(Subject subject, int waiters, Duration slice) throws Exception {
    String host = "line-" + waiters;
    HeldLock gate = subject.acquire(List.of(host));
    AtomicLong handovers = new AtomicLong();
    AtomicBoolean over = new AtomicBoolean();
    try (LockClient client = subject.another();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < waiters; i++) {
        threads.submit(() -> again(client, host, handovers, over));
      }
      while (subject.waiting() < waiters) {
        LockSupport.parkNanos(100_000_000);
      }
      double pair =
          Load.run(1, slice, (one, turn) -> subject.acquireAndRelease(List.of("beside")))
              .p50Millis();
      gate.release("done");
      long begin = System.nanoTime();
      LockSupport.parkNanos(slice.toNanos());
      double rate = handovers.get() / ((System.nanoTime() - begin) / 1e9);
      over.set(true);
      client.close();
      return new Growth(waiters, pair, rate);
    } finally {
      while (subject.waiting() > 0) {
        LockSupport.parkNanos(100_000_000);
      }
    }
  }

  private static Void again(
      LockClient client, String host, AtomicLong handovers, AtomicBoolean over) throws Exception {
    while (!over.get()) {
      try {
        HeldLock lock = client.acquire(Subject.request(host));
        handovers.incrementAndGet();
        lock.release("done");
      } catch (SessionLostException closed) {
        return null;
      }
    }
    return null;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "{\"waiters\":%d,\"pair_ms\":%.2f,\"handovers_per_s\":%.0f}",
        waiters,
        pairMillis,
        handoversPerSecond);
  }
}
