package dev.drydock.impact.core;

import java.time.Instant;

/** What monitoring said of a gate. Times are of the clock of the fleet's view. */
public sealed interface GateReading {

  /** It was true all the time, when asked at {@code at}. */
  record Holds(Instant at) implements GateReading {}

  /**
   * It was not.
   *
   * @param says when it was not, to follow the gate's name
   */
  record Fails(Instant at, String says) implements GateReading {}

  /** Monitoring did not say, or not so that it can be understood. */
  record Unknown(String why) implements GateReading {}
}
