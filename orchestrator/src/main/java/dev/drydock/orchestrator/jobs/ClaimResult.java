package dev.drydock.orchestrator.jobs;

/** The answer to a claim. Only {@link Granted} lets the consumer touch the host. */
public sealed interface ClaimResult {

  /**
   * The job is the consumer's until its lease ends.
   *
   * @param job the job as JSON of the wire record
   * @param secret what heartbeat and complete must carry
   * @param token fencing token EPOCH.HOLD.ROUND.ATTEMPT
   */
  record Granted(String job, String secret, int attempt, String token, long leaseSeconds)
      implements ClaimResult {

    /** Without the secret: records end up in log lines. */
    @Override
    public String toString() {
      return "Granted[token=" + token + "]";
    }
  }

  /** Not now or not by this consumer. */
  record Refused(Reason reason, String message) implements ClaimResult {}

  /** Why a claim was refused; the names are the codes on the wire. */
  enum Reason {
    UNKNOWN_JOB,
    TOPIC_NOT_YOURS,
    /** Somebody else is claiming it right now, has it, or it has ended. */
    JOB_NOT_PENDING,
    /** Its batch has ended, is aborted, goes back, or is worked by a later run. */
    GRANT_NOT_ALIVE,
    /** The last open check is too old, or not a grant; a new one was asked for. */
    CHECK_STALE,
    /** A store was restored, and hosts are read back before anything else is done. */
    RECOVERY_MODE,
    /** Its time is up; the board will end it. */
    DEADLINE_PASSED
  }
}
