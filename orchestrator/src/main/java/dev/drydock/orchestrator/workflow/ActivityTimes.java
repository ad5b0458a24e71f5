package dev.drydock.orchestrator.workflow;

import io.temporal.activity.LocalActivityOptions;
import io.temporal.common.RetryOptions;
import java.time.Duration;

/**
 * How long activities may take. They read and write rows: one that cannot is tried again, however
 * long PostgreSQL is away. A time after which it failed its workflow would reclaim every batch
 * under way, at once, for what is the matter with none of them. What trying again cannot help fails
 * at once: a run that another one took over.
 */
final class ActivityTimes {
  // Also how long a step waits when its process dies in it: short, and repeating is safe.
  private static final Duration ONE_TRY = Duration.ofSeconds(10);

  // Each try of a local activity that waits in its workflow is six events in its history, of which
  // Temporal keeps some 50,000: enough for five days.
  private static final Duration REST_MAX = Duration.ofMinutes(1);

  // From then on the workflow waits by a timer of its own. Until then it holds its workflow task,
  // which is given to another worker if it lasts longer than ten seconds.
  private static final Duration AT_ONCE = Duration.ofSeconds(5);

  private ActivityTimes() {}

  /**
   * Of activities in the worker that has the workflow, without a task of Temporal for each: there
   * are more of them than of anything else.
   */
  static LocalActivityOptions local() {
    return LocalActivityOptions.newBuilder()
        .setStartToCloseTimeout(ONE_TRY)
        .setLocalRetryThreshold(AT_ONCE)
        // Without a number, and without a budget, the SDK does not try a local one again at all.
        .setRetryOptions(
            RetryOptions.newBuilder()
                .setInitialInterval(Duration.ofMillis(500))
                .setMaximumInterval(REST_MAX)
                .setMaximumAttempts(Integer.MAX_VALUE)
                .build())
        .setDoNotIncludeArgumentsIntoMarker(true)
        .build();
  }
}
