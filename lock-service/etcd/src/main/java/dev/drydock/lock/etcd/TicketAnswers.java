package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.KeyChange;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Wakes threads that wait for what becomes of a ticket. A ticket leaves the queue in the
 * transaction that grants it, turns it away or withdraws it, so a waiting thread is woken as soon
 * as the mirror hears of that, and asks nobody until then. Thread-safe.
 */
final class TicketAnswers implements EtcdMirror.Follower {
  private final Map<String, Set<Expected>> expected = new ConcurrentHashMap<>();
  private final Queue<Expected> due = new ConcurrentLinkedQueue<>();

  /** One thread's wait for one ticket; begun before the look at whether the ticket still waits. */
  final class Expected implements AutoCloseable {
    private final String id;
    private final Semaphore told = new Semaphore(0);

    private Expected(String id) {
      this.id = id;
    }

    /** Returns when the ticket may have left the queue, or the time is over. */
    void await(Duration longest) {
      try {
        if (told.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS)) {
          told.drainPermits();
        }
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
        throw new UnknownOutcomeException("wait for ticket " + id, stop);
      }
    }

    @Override
    public void close() {
      expected.computeIfPresent(
          id,
          (same, all) -> {
            all.remove(this);
            return all.isEmpty() ? null : all;
          });
    }
  }

  Expected expect(String id) {
    Expected one = new Expected(id);
    expected.compute(
        id,
        (same, before) -> {
          Set<Expected> all = before == null ? ConcurrentHashMap.newKeySet() : before;
          all.add(one);
          return all;
        });
    return one;
  }

  /** The mirror missed changes: each waiting thread looks for itself. */
  @Override
  public void restarted(long revision, List<KeyChange> everything) {
    expected.values().forEach(due::addAll);
  }

  @Override
  public void changed(long revision, List<KeyChange> changes) {
    for (KeyChange keyChange : changes) {
      if (keyChange.now() == null && keyChange.key() instanceof Key.Ticket(String id, int index)) {
        due.addAll(expected.getOrDefault(id, Set.of()));
      }
    }
  }

  @Override
  public void afterwards() {
    for (Expected one = due.poll(); one != null; one = due.poll()) {
      one.told.release();
    }
  }
}
