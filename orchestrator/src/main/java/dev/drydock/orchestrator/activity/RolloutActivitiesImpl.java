package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.store.RolloutStore;
import org.jdbi.v3.core.Jdbi;

/** The steps of a rollout over PostgreSQL. Safe for use by many threads. */
public final class RolloutActivitiesImpl implements RolloutActivities {
  private final RolloutStore rollouts;

  public RolloutActivitiesImpl(Jdbi jdbi) {
    this.rollouts = new RolloutStore(jdbi);
  }

  @Override
  public boolean finish(String rollout) {
    return rollouts.finishIfDone(rollout);
  }
}
