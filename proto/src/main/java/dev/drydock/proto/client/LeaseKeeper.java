package dev.drydock.proto.client;

import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Renews the lease of a session lock in a thread of its own. A lease counts from before its renewal
 * was sent, by a clock that goes on while the machine sleeps; the lock counts as lost a margin
 * before it can be over, or as soon as the server says so.
 */
public final class LeaseKeeper implements AutoCloseable {
  private static final int RENEWALS_PER_LEASE = 5;

  private final DrydockClient client;
  private final String id;
  private final BootClock clock;
  private final Terms terms;
  private final Listener listener;
  private final Thread thread;
  private volatile boolean closed;
  private volatile @Nullable String lost;

  /** What becomes of the lock; called by the keeper's thread, in order. */
  public interface Listener {
    /** The lock is held for certain, for this long from now. */
    default void held(Duration left) {}

    /** Stop the work: somebody else may get the hosts after the margin. Called once at most. */
    void lost(String why);
  }

  /**
   * How long the lock lives.
   *
   * @param since when the last renewal was sent, since boot
   * @param maximum when it ends renewed or not, less the margin, since boot
   */
  record Terms(Duration lease, Duration margin, Duration since, Optional<Duration> maximum) {
    Duration until(Duration sent) {
      Duration end = sent.plus(lease).minus(margin);
      return maximum.filter(last -> last.compareTo(end) < 0).orElse(end);
    }
  }

  LeaseKeeper(DrydockClient client, String id, BootClock clock, Terms terms, Listener listener) {
    this.client = client;
    this.id = id;
    this.clock = clock;
    this.terms = terms;
    this.listener = listener;
    thread = Thread.ofPlatform().daemon().name("lease-of-" + id).start(this::keep);
  }

  /** Why the lock is lost; empty while it is held. */
  public Optional<String> lost() {
    return Optional.ofNullable(lost);
  }

  private void keep() {
    Duration until = terms.until(terms.since());
    listener.held(until.minus(clock.sinceBoot()));
    while (sleepUntilNext(until)) {
      Duration sent = clock.sinceBoot();
      try {
        client.renewLock(id);
        until = terms.until(sent);
        listener.held(until.minus(clock.sinceBoot()));
      } catch (CallException failed) {
        if (closed) {
          return;
        }
        if (!failed.isTemporary()) {
          lose(String.valueOf(failed.getMessage()));
          return;
        }
      }
    }
  }

  /** Whether the lock is still held when it is time to renew it again. */
  private boolean sleepUntilNext(Duration until) {
    try {
      Duration left = until.minus(clock.sinceBoot());
      Duration pause = terms.lease().dividedBy(RENEWALS_PER_LEASE);
      if (left.isPositive()) {
        Thread.sleep(left.compareTo(pause) < 0 ? left : pause);
      }
    } catch (InterruptedException stop) {
      return false;
    }
    Duration now = clock.sinceBoot();
    if (now.compareTo(until) < 0 && !closed) {
      return true;
    }
    if (!closed) {
      lose(
          terms.maximum().filter(last -> now.compareTo(last) >= 0).isPresent()
              ? "its declared maximum is over"
              : "it could not be renewed in time");
    }
    return false;
  }

  private void lose(String why) {
    lost = why;
    listener.lost(why);
  }

  /** Renews no more; the lock itself lives on until it is released or its lease is over. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }
}
