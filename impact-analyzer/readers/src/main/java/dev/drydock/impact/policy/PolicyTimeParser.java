package dev.drydock.impact.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.drydock.impact.core.Blackout;
import dev.drydock.impact.core.Calendar;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.core.WeeklyWindow;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Reads durations, windows and blackouts. */
final class PolicyTimeParser {
  private PolicyTimeParser() {}

  static Duration duration(JsonNode duration, Duration otherwise) {
    return duration.isMissingNode() ? otherwise : duration(duration);
  }

  static Duration duration(JsonNode duration) {
    // 1h30m is what ISO 8601 calls PT1H30M.
    return Duration.parse("PT" + duration.asText());
  }

  /** All windows and blackouts of a policy; both may be missing. */
  static Calendar calendar(JsonNode spec) {
    List<WeeklyWindow> windows = new ArrayList<>();
    spec.path("windows").forEach(window -> windows.add(window(window)));
    List<Blackout> blackouts = new ArrayList<>();
    spec.path("blackouts").forEach(blackout -> blackouts.add(blackout(blackout)));
    return new Calendar(windows, blackouts, expected(spec));
  }

  static Duration expected(JsonNode spec) {
    return duration(spec.path("expectedDuration"), Policy.DEFAULT_EXPECTED_DURATION);
  }

  static WeeklyWindow window(JsonNode window) {
    Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
    window.path("days").forEach(day -> days.add(day(day.asText())));
    return new WeeklyWindow(
        zone(window),
        days.isEmpty() ? EnumSet.allOf(DayOfWeek.class) : days,
        LocalTime.parse(window.path("from").asText()),
        LocalTime.parse(window.path("to").asText().replace("24:00", "00:00")));
  }

  private static DayOfWeek day(String name) {
    return Arrays.stream(DayOfWeek.values())
        .filter(day -> day.name().regionMatches(true, 0, name, 0, 3))
        .findFirst()
        .orElseThrow();
  }

  /**
   * Reads one blackout.
   *
   * @throws java.time.DateTimeException if the calendar has no such day
   */
  static Blackout blackout(JsonNode blackout) {
    String to = blackout.path("to").asText();
    return new Blackout(
        zone(blackout),
        moment(blackout.path("from").asText()),
        to.contains("T") ? moment(to) : moment(to).plusDays(1),
        blackout.path("reason").asText());
  }

  static LocalDateTime moment(String text) {
    return text.contains("T") ? LocalDateTime.parse(text) : LocalDate.parse(text).atStartOfDay();
  }

  private static ZoneId zone(JsonNode of) {
    return ZoneId.of(of.path("timezone").asText("UTC"));
  }
}
