package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.store.RolloutCourse;
import org.jdbi.v3.core.Jdbi;

/** The steps of a rollout over PostgreSQL. Safe for use by many threads. */
public final class RolloutActivitiesImpl implements RolloutActivities {
  private final RolloutCourse course;

  public RolloutActivitiesImpl(Jdbi jdbi) {
    this.course = new RolloutCourse(jdbi);
  }

  @Override
  public boolean advance(String rollout) {
    return course.advance(rollout);
  }
}
