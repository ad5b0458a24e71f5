package dev.drydock.impact.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Random;

/**
 * When it happens, and by whose clocks.
 *
 * @param zone of most windows and blackouts
 * @param clocksChange whether its clocks do on the way
 */
record Season(Instant begin, ZoneId zone, boolean clocksChange) {
  private static final Instant YEAR = Instant.parse("2026-01-01T00:00:00Z");
  private static final int SOONEST_SECONDS = 60;
  private static final int LATEST_SECONDS = 3000;

  /** By whole hours, by half of one, and on both sides of the equator. */
  private static final List<String> ZONES =
      List.of("America/New_York", "Europe/Berlin", "Australia/Lord_Howe");

  static Season draw(Random random) {
    ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
    if (random.nextBoolean()) {
      return new Season(YEAR.plus(Duration.ofMinutes(random.nextInt(365 * 24 * 60))), zone, false);
    }
    ZoneOffsetTransition change = zone.getRules().nextTransition(YEAR);
    if (random.nextBoolean()) {
      change = zone.getRules().nextTransition(change.getInstant());
    }
    int before = SOONEST_SECONDS + random.nextInt(LATEST_SECONDS - SOONEST_SECONDS);
    return new Season(change.getInstant().minusSeconds(before), zone, true);
  }
}
