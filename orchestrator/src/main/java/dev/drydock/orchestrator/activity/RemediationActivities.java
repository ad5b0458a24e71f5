package dev.drydock.orchestrator.activity;

import io.temporal.activity.ActivityInterface;

/** The steps of a remediation; all may be repeated. */
@ActivityInterface(namePrefix = "remediation-")
public interface RemediationActivities {

  /**
   * Does what is next for the host.
   *
   * @return whether nothing is left to be done
   */
  boolean advance(String grant, String host);
}
