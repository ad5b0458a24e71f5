package dev.drydock.orchestrator.jobs;

import dev.drydock.api.JobStep;
import java.time.Duration;

/**
 * How long things may take on the board, by the clock of the database.
 *
 * @param lease how long a claim lasts without a heartbeat
 * @param margin how long after its lease a job is given to nobody, so that its consumer has surely
 *     stopped
 * @param staleness how old the last open verdict may be when a Drain is claimed, until one of the
 *     batch is done
 * @param attemptsMax how often a job is given to a consumer before it expires
 */
public record BoardTimes(Duration lease, Duration margin, Duration staleness, int attemptsMax) {

  /** For waiting for a consumer and for a new check, and for an attempt that fell silent. */
  private static final Duration DRAIN_RESERVE = Duration.ofMinutes(5);

  /** Of the time that is left, an adapter keeps a tenth for putting things back. */
  private static final int SHARE_DRAINING = 9;

  /** With the usual number of attempts. */
  public static BoardTimes of(Duration lease, Duration margin, Duration staleness) {
    return new BoardTimes(lease, margin, staleness, 8);
  }

  /**
   * Of an Update that installs anew: a data partition is read twice, and a machine is started
   * twice.
   */
  public static final Duration INSTALLATION = Duration.ofHours(3);

  /** From publication to the end of the last attempt, unless policies say otherwise. */
  public static Duration deadline(JobStep step) {
    return switch (step) {
      case Cordon, Uncordon -> Duration.ofMinutes(5);
      case Drain, Recover -> Duration.ofMinutes(15);
      case Preflight, Update -> Duration.ofMinutes(30);
      case Verify, Health, Repair -> Duration.ofMinutes(10);
      case Hook, Unhook -> throw new IllegalArgumentException("policies say how long a hook takes");
      case Approve -> throw new IllegalArgumentException("policies say how long an answer takes");
      case $UNKNOWN -> throw new IllegalArgumentException("unknown step");
    };
  }

  /** The same for a Drain for which its host has so long. */
  public static Duration drainDeadline(Duration timeout) {
    return timeout.plus(timeout.dividedBy(SHARE_DRAINING)).plus(DRAIN_RESERVE);
  }
}
