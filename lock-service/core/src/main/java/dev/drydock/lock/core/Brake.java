package dev.drydock.lock.core;

import java.time.Instant;

/**
 * The fleet brake, pulled: until it is lifted nobody is granted a host, rollouts and foreign
 * clients alike. What is held stays held, and ends as it would.
 *
 * @param by principal who pulled it
 */
public record Brake(String by, String reason, Instant since) {

  /** One clause for people, for whoever waits meanwhile. */
  public String text() {
    return "the fleet is frozen by " + by + " (" + reason + ")";
  }
}
