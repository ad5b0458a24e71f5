package dev.drydock.impact.core;

import java.time.Instant;

/**
 * The newest time an instance was taken down by an upgrade or by whoever else held its host.
 *
 * @param host where it ran then
 * @param at when it began; later rather than earlier where it is not known exactly
 * @param ongoing whether the lock that did it is still on that host
 */
public record Disruption(
    String instance, String application, String host, Instant at, boolean ongoing) {}
