package dev.drydock.impact.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OwnCalendarTest {

  /** On Lord Howe clocks went back from 02:00 to 01:30 at that moment. */
  private static final Instant BACK = Instant.parse("2026-04-04T15:00:00Z");

  @Test
  void aBlackoutEndsWhenClocksShowItsEndForTheLastTime() {
    Map<String, String> blackout =
        Map.of(
            "timezone",
            "Australia/Lord_Howe",
            "from",
            "2026-04-05T01:10",
            "to",
            "2026-04-05T01:30");

    OwnCalendar calendar = new OwnCalendar(List.of(), List.of(blackout));

    assertThat(calendar.clear(BACK.minusSeconds(60), BACK)).isFalse();
    assertThat(calendar.clear(BACK, BACK.plusSeconds(60))).isTrue();
  }
}
