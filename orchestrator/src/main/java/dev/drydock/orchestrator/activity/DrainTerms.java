package dev.drydock.orchestrator.activity;

import dev.drydock.impact.core.LateDrain;
import java.time.Duration;

/**
 * What the policies say of draining one host.
 *
 * @param timeout how long it may take
 * @param late what becomes of it then
 */
record DrainTerms(Duration timeout, LateDrain late) {}
