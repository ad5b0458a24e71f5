package dev.drydock.orchestrator.store;

/**
 * Which jobs nobody may do while a recovery is open: all until both stores were joined, and then
 * all but those that read hosts.
 */
public final class RecoveryJobFilter {
  /** A condition on a row {@code j} of jobs. */
  public static final String JOB =
      """
      EXISTS (SELECT FROM recoveries recovery
              WHERE recovery.ended_at IS NULL AND (recovery.epoch IS NULL OR j.step <> 'Verify'))
      """;

  private RecoveryJobFilter() {}
}
