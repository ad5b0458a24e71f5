package dev.drydock.adapter.spi;

import dev.drydock.api.ClaimedJob;
import dev.drydock.api.Job;
import dev.drydock.proto.crash.CrashPoint;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * A claimed job as a step sees it.
 *
 * @param endMillis when the step should be over, on the clock of the lease
 * @param marks fetches the next mark from the server
 * @param told what the server hears of a drain while it runs
 */
public record ClaimedStep(
    ClaimedJob claimed,
    Lease lease,
    LeaseClock clock,
    long endMillis,
    LongSupplier marks,
    StepProgress told) {
  /** Effects that leave something on a host that has to be taken back. */
  private static final Set<String> CHANGES =
      Set.of("cordon", "stop", "deploy", "start", "tryStart");

  /** A step of which nobody hears before its end. */
  public ClaimedStep(
      ClaimedJob claimed, Lease lease, LeaseClock clock, long endMillis, LongSupplier marks) {
    this(claimed, lease, clock, endMillis, marks, new StepProgress());
  }

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
    if (CHANGES.contains(effect)) {
      told.begin();
    }
    CrashPoint.reach("adapter-" + effect + "-begun");
  }

  /**
   * Tells how much a host that is drained still has, each time it is known: whoever has to decide
   * about a drain that does not end learns from it whether it is slow or stuck.
   *
   * @param what in the plural, such as requests
   */
  public void left(long count, String what) {
    told.tell(count, what);
  }

  /**
   * Whether a drain stops what is left instead of waiting for it: two people said so, after one
   * that did not end.
   */
  public boolean force() {
    return job().isForce();
  }

  /**
   * How long a host may take to empty from the claim on, as policies say; what is left of the step
   * beyond it is for stopping and for putting things back.
   */
  public Duration drainMax() {
    Job job = job();
    return job.hasDrainSecondsMax()
        ? Duration.ofSeconds(Objects.requireNonNull(job.getDrainSecondsMax()))
        : remaining();
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
