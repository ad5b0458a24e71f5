package dev.drydock.orchestrator.core.model;

import dev.drydock.impact.core.LateDrain.Way;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Hosts of a batch that were not drained in time, and what becomes of that. Policies decide it at
 * once, or people are asked.
 *
 * @param jobs the Drains that ended without a drained host
 * @param hosts theirs
 * @param says why, in one sentence, with the numbers
 * @param remindEvery how often people are reminded
 * @param expiresAt when nobody is waited for any more: the batch is requeued
 * @param openRound the last round of the open check when it was decided; 0 before
 */
public record DrainOverrun(
    int number,
    List<String> jobs,
    List<String> hosts,
    Way way,
    Pace pace,
    String says,
    Duration remindEvery,
    Instant remindAt,
    Instant expiresAt,
    Optional<Decided> decided,
    int openRound) {
  /** Who decided what policies say, and who decided when nobody answered. */
  public static final String BY_POLICY = "policy";

  public static final String BY_EXPIRY = "drydock";

  public DrainOverrun {
    jobs = List.copyOf(jobs);
    hosts = List.copyOf(hosts);
  }

  /** Whether a drain would have ended. */
  public enum Pace implements Word {
    UNKNOWN,
    /** It got less, only not in time. */
    SLOW,
    /** It did not get less for long. */
    STUCK
  }

  /** What becomes of it. */
  public enum Decision implements Word {
    WAIT,
    FORCE,
    REVERT,
    REQUEUE,
    QUARANTINE
  }

  /** Once it is decided. */
  public record Decided(Decision decision, String by, String reason) {

    /** As people read it. */
    public String says() {
      return decision.word() + " by " + by + (reason.isEmpty() ? "" : ": " + reason);
    }
  }

  /** Its id under a grant. */
  public String id(String grant) {
    return grant + "." + number;
  }

  /** The same, decided. */
  public DrainOverrun decided(Decided how, int round) {
    return new DrainOverrun(
        number,
        jobs,
        hosts,
        way,
        pace,
        says,
        remindEvery,
        remindAt,
        expiresAt,
        Optional.of(how),
        round);
  }

  /** The same after people were reminded. */
  public DrainOverrun reminded(Instant next) {
    return new DrainOverrun(
        number, jobs, hosts, way, pace, says, remindEvery, next, expiresAt, decided, openRound);
  }
}
