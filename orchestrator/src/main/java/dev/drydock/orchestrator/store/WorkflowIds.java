package dev.drydock.orchestrator.store;

/** Ids of workflows, derived from the row they work for: at most one runs for each row. */
public final class WorkflowIds {
  private static final String BATCH = "batch/";
  private static final String ROLLOUT = "rollout/";

  private WorkflowIds() {}

  public static String batch(String grant) {
    return BATCH + grant;
  }

  public static String rollout(String rollout) {
    return ROLLOUT + rollout;
  }
}
