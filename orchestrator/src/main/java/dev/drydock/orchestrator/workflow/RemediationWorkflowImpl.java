package dev.drydock.orchestrator.workflow;

import dev.drydock.orchestrator.activity.RemediationActivities;
import io.temporal.workflow.Workflow;
import java.time.Duration;

/** Looks when woken or after a while: each look does what is next, by the rows. */
public final class RemediationWorkflowImpl implements RemediationWorkflow {
  /** Safety net for a lost wake-up. */
  static final Duration LOOK_AGAIN = Duration.ofSeconds(20);

  private static final int LOOKS_PER_EXECUTION = 500;

  private final RemediationActivities activities =
      Workflow.newLocalActivityStub(RemediationActivities.class, ActivityTimes.local());

  private long wakeups;

  @Override
  public void run(String grant, String host) {
    for (int look = 0; look < LOOKS_PER_EXECUTION; look++) {
      long seen = wakeups;
      if (activities.advance(grant, host)) {
        return;
      }
      Workflow.await(LOOK_AGAIN, () -> wakeups != seen);
    }
    Workflow.continueAsNew(grant, host);
  }

  @Override
  public void wake(String cause) {
    wakeups++;
  }
}
