package dev.drydock.orchestrator.activity;

import dev.drydock.impact.core.LateDrain;
import java.time.Duration;

/**
 * What the policies say of draining one host.
 *
 * @param timeout how long it may take
 * @param late what becomes of it then
 */
record DrainTerms(Duration timeout, LateDrain late) {
  /** For waiting for a consumer and for a new check, and for an attempt that fell silent. */
  private static final Duration RESERVE = Duration.ofMinutes(5);

  /** Of the time that is left, an adapter keeps a tenth for putting things back. */
  private static final int SHARE_DRAINING = 9;

  /** How long the job may take from its publication. */
  Duration deadline() {
    return timeout.plus(timeout.dividedBy(SHARE_DRAINING)).plus(RESERVE);
  }
}
