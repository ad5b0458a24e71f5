package dev.drydock.orchestrator.activity;

import io.temporal.activity.ActivityInterface;

/** The steps of a rollout; all may be repeated. */
@ActivityInterface(namePrefix = "rollout-")
public interface RolloutActivities {

  /**
   * Finishes the rollout if every host came to an end.
   *
   * @return whether it is finished, now or since earlier
   */
  boolean finish(String rollout);
}
