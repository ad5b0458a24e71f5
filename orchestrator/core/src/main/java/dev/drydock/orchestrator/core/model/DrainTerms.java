package dev.drydock.orchestrator.core.model;

import dev.drydock.impact.core.LateDrain;
import java.time.Duration;

/**
 * What the policies of what runs on a host say of draining it.
 *
 * @param timeout how long it may take
 * @param late what becomes of it then
 */
public record DrainTerms(Duration timeout, LateDrain late) {}
