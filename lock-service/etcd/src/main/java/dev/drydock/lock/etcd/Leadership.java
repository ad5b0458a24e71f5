package dev.drydock.lock.etcd;

import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Being the grantor, from the election until the lease may have run out. A thread renews the lease;
 * this side stops well before etcd does, and what is sent too late all the same is refused by the
 * compare of {@link #fence}.
 */
final class Leadership implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Leadership.class);

  private final EtcdConnection etcd;
  private final BootClock clock;
  private final long lease;
  private final long fence;
  private final Duration timeToLive;
  private final Thread keeper;
  private volatile Duration end;
  private volatile boolean closed;

  /**
   * Starts renewing.
   *
   * @param fence create revision of the leadership key
   * @param asked when the lease was asked for; counting from the answer would be counting too long
   */
  Leadership(EtcdConnection etcd, BootClock clock, long lease, long fence, Duration asked) {
    this.etcd = etcd;
    this.clock = clock;
    this.lease = lease;
    this.fence = fence;
    timeToLive = etcd.config().grantorLease();
    end = endAfter(asked);
    keeper = Thread.ofPlatform().daemon().name("grantor-lease").start(this::keep);
  }

  /** What every transaction of this grantor compares the leadership key's create revision with. */
  long fence() {
    return fence;
  }

  /** Whether the lease certainly still runs. */
  boolean valid() {
    return !closed && clock.sinceBoot().compareTo(end) < 0;
  }

  private Duration endAfter(Duration sent) {
    return sent.plus(timeToLive).minus(timeToLive.dividedBy(5));
  }

  private void keep() {
    while (valid()) {
      try {
        Thread.sleep(timeToLive.dividedBy(5));
        if (closed) {
          return;
        }
        Duration sent = clock.sinceBoot();
        if (etcd.keepAlive(lease)) {
          end = endAfter(sent);
        } else {
          log.warn("the grantor's lease is gone");
          end = Duration.ZERO;
        }
      } catch (UnknownOutcomeException noAnswer) {
        log.warn("the grantor's lease could not be renewed: {}", noAnswer.getMessage());
      } catch (InterruptedException stop) {
        return;
      }
    }
  }

  /** Stops renewing without giving up: what a paused process does. For tests. */
  void pauseRenewal() {
    keeper.interrupt();
  }

  /** Gives up the leadership, so that nobody has to wait for the lease. */
  @Override
  public void close() {
    closed = true;
    keeper.interrupt();
    try {
      etcd.revoke(lease);
    } catch (UnknownOutcomeException expiresOnItsOwn) {
      log.info("the grantor's lease is left to expire: {}", expiresOnItsOwn.getMessage());
    }
  }
}
