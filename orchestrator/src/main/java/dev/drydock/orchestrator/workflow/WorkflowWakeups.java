package dev.drydock.orchestrator.workflow;

import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;

/** The wake-ups of one workflow, and the timer for a lost one. Confined to its workflow. */
final class WorkflowWakeups {
  /** One for many wake-ups: starting and stopping it for each is work for Temporal. */
  private Promise<Void> timer = Workflow.newPromise(null);

  /** When the timer ends, by the clock of the workflow. */
  private long endsAt;

  private long count;

  void wake() {
    count++;
  }

  /** What to {@link #await} after a look that began now. */
  long seen() {
    return count;
  }

  /** Until a wake-up that the look did not see, or for as long as the rest at most. */
  void await(long seen, Duration rest) {
    long latest = Workflow.currentTimeMillis() + rest.toMillis();
    if (timer.isCompleted() || endsAt > latest) {
      timer = Workflow.newTimer(rest);
      endsAt = latest;
    }
    Workflow.await(() -> count != seen || timer.isCompleted());
  }
}
