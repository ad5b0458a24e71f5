package dev.drydock.lock.soak;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The process's wall clock, which the harness sets forward and back. Thread-safe. */
final class JumpingClock implements InstantSource {
  private volatile Duration ahead = Duration.ZERO;

  void setAhead(Duration of) {
    ahead = of;
  }

  @Override
  public Instant instant() {
    return Instant.now().plus(ahead);
  }
}
