package dev.drydock.impact.core;

import java.time.Instant;

/**
 * The newest report accepted from a source.
 *
 * @param at when the mark was issued, which is before the source began to read
 */
public record SourceReport(long mark, Instant at) {}
