package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.remediation.Remediations;

/** The steps of a remediation over PostgreSQL. Safe for use by many threads. */
public final class RemediationActivitiesImpl implements RemediationActivities {
  private final Remediations remediations;

  public RemediationActivitiesImpl(Remediations remediations) {
    this.remediations = remediations;
  }

  @Override
  public boolean advance(String grant, String host) {
    return remediations.advance(grant, host);
  }
}
