package dev.drydock.orchestrator.workflow;

import io.temporal.activity.ActivityOptions;
import io.temporal.activity.LocalActivityOptions;
import io.temporal.common.RetryOptions;
import java.time.Duration;

/**
 * How long activities may take. They read and write rows: one that does not come through within the
 * budget fails the workflow, and the sweeper starts it again, from the rows.
 */
final class ActivityTimes {
  // Also how long a step waits when its process dies in it: short, and repeating is safe.
  private static final Duration ONE_TRY = Duration.ofSeconds(10);
  private static final Duration BUDGET = Duration.ofMinutes(15);

  private ActivityTimes() {}

  static ActivityOptions options() {
    return ActivityOptions.newBuilder()
        .setStartToCloseTimeout(ONE_TRY)
        .setScheduleToCloseTimeout(BUDGET)
        .setRetryOptions(retries())
        .build();
  }

  /**
   * The same in the worker that has the workflow, without a task of Temporal for each: of those
   * there are more in a batch than of anything else.
   */
  static LocalActivityOptions local() {
    return LocalActivityOptions.newBuilder()
        .setStartToCloseTimeout(ONE_TRY)
        .setScheduleToCloseTimeout(BUDGET)
        .setRetryOptions(retries())
        .setDoNotIncludeArgumentsIntoMarker(true)
        .build();
  }

  private static RetryOptions retries() {
    return RetryOptions.newBuilder()
        .setInitialInterval(Duration.ofMillis(500))
        .setMaximumInterval(Duration.ofSeconds(10))
        .build();
  }
}
