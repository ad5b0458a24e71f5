package dev.drydock.orchestrator.activity;

import io.temporal.activity.ActivityInterface;
import io.temporal.activity.ActivityMethod;

/** The steps of a rollout; all may be repeated. */
@ActivityInterface(namePrefix = "rollout-")
public interface RolloutActivities {

  /**
   * Does what is due for the rollout, and ends it if every host came to an end.
   *
   * @return whether it has ended, now or since earlier
   */
  @ActivityMethod(name = "rollout-Finish")
  boolean advance(String rollout);
}
