package dev.drydock.lock.etcd;

import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease that a thread renews until it is closed or lost. This side stops believing in it well
 * before etcd does.
 */
final class KeptLease implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KeptLease.class);

  private static final Duration TRY_AGAIN = Duration.ofMillis(100);

  private final EtcdConnection etcd;
  private final BootClock clock;
  private final String whose;
  private final long id;
  private final Duration timeToLive;
  private final Thread keeper;
  private volatile Duration end;
  private volatile boolean closed;

  /**
   * Starts renewing.
   *
   * @param whose for the log
   * @param asked when the lease was asked for; counting from the answer would be counting too long
   */
  KeptLease(
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
    end = endAfter(asked);
    keeper = Thread.ofPlatform().daemon().name("lease-of-" + whose).start(this::keep);
  }

  long id() {
    return id;
  }

  /** Whether the lease certainly still runs. */
  boolean valid() {
    return !closed && clock.sinceBoot().compareTo(end) < 0;
  }

  private Duration endAfter(Duration sent) {
    return sent.plus(timeToLive).minus(timeToLive.dividedBy(5));
  }

  private void keep() {
    Duration pause = timeToLive.dividedBy(5);
    while (valid()) {
      try {
        Thread.sleep(pause);
        if (closed) {
          return;
        }
        Duration sent = clock.sinceBoot();
        if (etcd.keepAlive(id)) {
          end = endAfter(sent);
          pause = timeToLive.dividedBy(5);
        } else {
          log.warn("the lease of the {} is gone", whose);
          end = Duration.ZERO;
        }
      } catch (InterruptedException stop) {
        return;
      } catch (UnknownOutcomeException noAnswer) {
        log.warn("the lease of the {} could not be renewed: {}", whose, noAnswer.getMessage());
        pause = TRY_AGAIN;
      } catch (RuntimeException | Error failed) {
        log.error("the lease of the {} could not be renewed, and is tried again", whose, failed);
        pause = TRY_AGAIN;
      }
    }
  }

  /** Stops renewing without giving up: what a paused process does. For tests. */
  void pauseRenewal() {
    keeper.interrupt();
  }

  /** Gives the lease up, so that nobody has to wait for its end. */
  @Override
  public void close() {
    closed = true;
    keeper.interrupt();
    try {
      etcd.revoke(id);
    } catch (UnknownOutcomeException expiresOnItsOwn) {
      log.info("the lease of the {} is left to expire: {}", whose, expiresOnItsOwn.getMessage());
    }
  }
}
