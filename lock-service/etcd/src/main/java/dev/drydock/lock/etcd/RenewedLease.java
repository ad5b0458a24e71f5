package dev.drydock.lock.etcd;

import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease that a thread renews until it is over: closed, or not renewed in time. This side stops
 * believing in it well before etcd does, and what it stopped believing in it lets run out.
 */
final class RenewedLease implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RenewedLease.class);

  private static final Duration TRY_AGAIN = Duration.ofMillis(100);

  private static final Duration OVER = Duration.ZERO;

  private final EtcdConnection etcd;
  private final BootClock clock;
  private final String whose;
  private final long id;
  private final Duration timeToLive;
  private final Thread keeper;
  private final AtomicReference<Duration> end;

  /**
   * Starts renewing.
   *
   * @param whose for the log
   * @param asked when the lease was asked for; counting from the answer would be counting too long
   */
  RenewedLease(
      EtcdConnection etcd,
      BootClock clock,
      String whose,
      long id,
      Duration timeToLive,
      Duration asked) {
    this.etcd = etcd;
    this.clock = clock;
    this.whose = whose;
    this.id = id;
    this.timeToLive = timeToLive;
    end = new AtomicReference<>(endAfter(asked));
    keeper = Thread.ofPlatform().daemon().name("lease-of-" + whose).start(this::keep);
  }

  long id() {
    return id;
  }

  /**
   * Whether the lease certainly still runs. Who was told once that it does not has let go of what
   * it had: it is never told otherwise again.
   */
  boolean valid() {
    Duration believed = end.get();
    while (clock.sinceBoot().compareTo(believed) >= 0) {
      if (end.compareAndSet(believed, OVER)) {
        return false;
      }
      believed = end.get();
    }
    return true;
  }

  private Duration endAfter(Duration sent) {
    return sent.plus(timeToLive).minus(timeToLive.dividedBy(5));
  }

  private void keep() {
    Duration pause = timeToLive.dividedBy(5);
    while (valid()) {
      try {
        Thread.sleep(pause);
        pause = renewed() ? timeToLive.dividedBy(5) : TRY_AGAIN;
      } catch (InterruptedException stop) {
        return;
      } catch (RuntimeException | Error failed) {
        log.error("the lease of the {} could not be renewed, and is tried again", whose, failed);
        pause = TRY_AGAIN;
      }
    }
    log.warn("the lease of the {} is over", whose);
  }

  private boolean renewed() {
    Duration sent = clock.sinceBoot();
    if (!valid()) {
      return false;
    }
    try {
      boolean there = etcd.keepAlive(id);
      end.updateAndGet(before -> there && !before.equals(OVER) ? endAfter(sent) : OVER);
      return there;
    } catch (UnknownOutcomeException noAnswer) {
      log.warn("the lease of the {} could not be renewed: {}", whose, noAnswer.getMessage());
      return false;
    }
  }

  /** Stops renewing without giving up: what a paused process does. For tests. */
  void pauseRenewal() {
    keeper.interrupt();
  }

  /** Gives the lease up, so that nobody has to wait for its end. */
  @Override
  public void close() {
    end.set(OVER);
    keeper.interrupt();
    try {
      etcd.revoke(id);
    } catch (UnknownOutcomeException expiresOnItsOwn) {
      log.info("the lease of the {} is left to expire: {}", whose, expiresOnItsOwn.getMessage());
    }
  }
}
