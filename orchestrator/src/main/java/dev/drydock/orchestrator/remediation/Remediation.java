package dev.drydock.orchestrator.remediation;

import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Ladder;

/**
 * A remediation as its row says: of one step that failed on one host of a grant.
 *
 * @param reason why the step failed
 * @param says how it ended; empty while open
 */
record Remediation(
    String grant,
    String host,
    JobStep step,
    Ladder ladder,
    String reason,
    RemediationState state,
    String says) {

  boolean open() {
    return state == RemediationState.Open;
  }
}
