package dev.drydock.orchestrator.jobs;

/** The answer to a result. */
public sealed interface CompletionResult {

  /**
   * Kept.
   *
   * @param repeated whether the same claim had sent the same result before
   */
  record Accepted(boolean repeated) implements CompletionResult {}

  /** Not kept. */
  record Refused(Reason reason, String message) implements CompletionResult {}

  /** Why a result was not kept; the names are the codes on the wire. */
  enum Reason {
    UNKNOWN_JOB,
    /** The claim is not, or not any more, the current one. */
    CLAIM_LOST,
    /** The job ended with another result of the same claim. */
    RESULT_DIFFERS,
    /** The result contradicts the job; see the message. */
    INVALID_RESULT
  }
}
