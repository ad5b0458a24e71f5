package dev.drydock.impact.core;

import java.time.Instant;

/**
 * An instance with its latest observation.
 *
 * @param zone its fault zone; empty when nobody told
 * @param mark mark its reporter fetched before it began to read (protocol P6)
 * @param observedAt when the oldest source of the observation was read, never later than the mark
 *     was issued
 * @param vanished missing from the newest full report of its source: no longer allocated by its
 *     scheduler
 */
public record Instance(
    String id,
    String application,
    String host,
    String zone,
    Health health,
    long mark,
    Instant observedAt,
    boolean vanished) {}
