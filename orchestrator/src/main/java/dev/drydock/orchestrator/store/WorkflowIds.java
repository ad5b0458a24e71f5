package dev.drydock.orchestrator.store;

/** Ids of workflows, derived from the row they work for: at most one runs for each row. */
public final class WorkflowIds {
  private static final String BATCH = "batch/";
  private static final String ROLLOUT = "rollout/";

  /** Also known to the trigger that wakes it. */
  private static final String REMEDIATION = "remediation/";

  private WorkflowIds() {}

  public static String batch(String grant) {
    return BATCH + grant;
  }

  public static String remediation(String grant, String host) {
    return REMEDIATION + grant + "/" + host;
  }

  public static String rollout(String rollout) {
    return ROLLOUT + rollout;
  }
}
