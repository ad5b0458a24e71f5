package dev.drydock.orchestrator.remediation;

import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Ladder;

/**
 * A remediation as its row says: of one step that failed on one host of a grant.
 *
 * @param reason why the step failed
 * @param state Open, Resumed, Exhausted, or Left when its host was taken out of the batch
 * @param says how it ended; empty while open
 */
record Remediation(
    String grant,
    String host,
    JobStep step,
    Ladder ladder,
    String reason,
    String state,
    String says) {

  boolean open() {
    return state.equals("Open");
  }
}
