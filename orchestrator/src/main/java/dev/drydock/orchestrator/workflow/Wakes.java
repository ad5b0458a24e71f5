package dev.drydock.orchestrator.workflow;

import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;

/** The wake-ups of one workflow, and the timer for a lost one. Confined to its workflow. */
final class Wakes {
  private final Duration lookAgain;

  /** One for many wake-ups: starting and stopping it for each is work for Temporal. */
  private Promise<Void> timer = Workflow.newPromise(null);

  private long count;

  /**
   * No wake-up yet.
   *
   * @param lookAgain how long a lost one may cost
   */
  Wakes(Duration lookAgain) {
    this.lookAgain = lookAgain;
  }

  void wake() {
    count++;
  }

  /** What to {@link #await} after a look that began now. */
  long seen() {
    return count;
  }

  /** Until a wake-up that the look did not see, or for a while. */
  void await(long seen) {
    if (timer.isCompleted()) {
      timer = Workflow.newTimer(lookAgain);
    }
    Workflow.await(() -> count != seen || timer.isCompleted());
  }

  /** The same with a timer for each, as executions do that were begun so. */
  void awaitEach(long seen) {
    Workflow.await(lookAgain, () -> count != seen);
  }
}
