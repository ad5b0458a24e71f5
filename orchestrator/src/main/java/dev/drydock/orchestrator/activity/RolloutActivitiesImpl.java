package dev.drydock.orchestrator.activity;

import dev.drydock.lock.core.Holds;
import dev.drydock.orchestrator.store.RolloutLifecycle;
import org.jdbi.v3.core.Jdbi;

/** The steps of a rollout over PostgreSQL and the queue in etcd. Safe for use by many threads. */
public final class RolloutActivitiesImpl implements RolloutActivities {
  private final RolloutLifecycle course;
  private final PausedPlaces places;
  private final FailureWatch failures;

  public RolloutActivitiesImpl(Jdbi jdbi, Holds holds, FailureBudgets budgets) {
    this.course = new RolloutLifecycle(jdbi);
    this.places = new PausedPlaces(jdbi, holds);
    this.failures = new FailureWatch(jdbi, budgets);
  }

  @Override
  public boolean advance(String rollout) {
    boolean ended = course.advance(rollout);
    if (!ended) {
      failures.look(rollout);
      places.keep(rollout);
    }
    return ended;
  }
}
