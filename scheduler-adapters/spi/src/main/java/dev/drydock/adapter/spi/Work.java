package dev.drydock.adapter.spi;

import dev.drydock.api.ClaimedJob;
import dev.drydock.api.Job;
import dev.drydock.proto.crash.CrashPoint;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A claimed job as a step sees it.
 *
 * @param endMillis when the step should be over, on the clock of the lease
 * @param marks fetches the next mark from the server
 */
public record Work(
    ClaimedJob claimed, Lease lease, LeaseClock clock, long endMillis, LongSupplier marks) {

  public Job job() {
    return claimed.getJob();
  }

  /** 1 for the first claim of this round; above that somebody may have done part of the step. */
  public int attempt() {
    return claimed.getAttempt();
  }

  /**
   * EPOCH.HOLD.ROUND.ATTEMPT: every effect on the host carries it, and the host refuses an older
   * one.
   */
  public String token() {
    return claimed.getToken();
  }

  /**
   * Call it right after an effect was sent, before its answer, and between two effects of one kind:
   * {@code adapter-EFFECT-begun} is a point at which tests kill the adapter.
   */
  public void begun(String effect) {
    CrashPoint.reach("adapter-" + effect + "-begun");
  }

  /** What is left of the time this step may take; never negative. */
  public Duration remaining() {
    return Duration.ofMillis(Math.max(0, endMillis - clock.millis()));
  }

  /**
   * The next number of the server's sequence. Fetch it after the last effect and before the read it
   * belongs to.
   */
  public long mark() {
    return marks.getAsLong();
  }
}
