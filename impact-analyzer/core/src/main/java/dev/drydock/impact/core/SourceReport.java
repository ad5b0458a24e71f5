package dev.drydock.impact.core;

import java.time.Instant;

/**
 * The newest report accepted from a source.
 *
 * @param at when the mark was issued, which is before the source began to read
 * @param ageKnown whether the clock that stamped it was not set back since
 */
public record SourceReport(long mark, Instant at, boolean ageKnown) {

  /** One whose clock only went on. */
  public SourceReport(long mark, Instant at) {
    this(mark, at, true);
  }
}
