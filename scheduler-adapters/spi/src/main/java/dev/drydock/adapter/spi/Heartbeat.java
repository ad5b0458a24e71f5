package dev.drydock.adapter.spi;

import dev.drydock.api.ClaimedJob;
import dev.drydock.proto.client.CallException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one claim alive in a thread of its own until closed. Beats at a third of the lease, faster
 * after a failure.
 */
final class Heartbeat implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
  private static final long RETRY_MILLIS = 500;

  private final Board board;
  private final ClaimedJob claimed;
  private final Lease lease;
  private final LeaseClock clock;
  private final StepProgress stepProgress;
  private final Thread thread;

  Heartbeat(
      Board board, ClaimedJob claimed, Lease lease, LeaseClock clock, StepProgress stepProgress) {
    this.board = board;
    this.claimed = claimed;
    this.lease = lease;
    this.clock = clock;
    this.stepProgress = stepProgress;
    this.thread =
        Thread.ofVirtual().name("heartbeat " + claimed.getJob().getId()).start(this::beat);
  }

  private void beat() {
    String job = claimed.getJob().getId();
    int seconds = claimed.getLeaseSeconds();
    long pause = seconds * 1000L / 3;
    try {
      while (lease.isLive()) {
        Thread.sleep(Math.min(pause, Math.max(1, lease.leftMillis())));
        if (!lease.isLive()) {
          break;
        }
        long sent = clock.millis();
        try {
          seconds = board.heartbeat(job, claimed.getClaim(), stepProgress.last());
          lease.extend(sent, seconds);
          pause = seconds * 1000L / 3;
        } catch (CallException e) {
          if (e.status() == 404 || e.status() == 409) {
            LOG.warn("{}: the claim is lost: {}", job, e.getMessage());
            lease.lose();
          }
          pause = RETRY_MILLIS;
        }
      }
    } catch (InterruptedException e) {
      return; // closed
    }
    LOG.warn("{}: the lease has ended", job);
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
