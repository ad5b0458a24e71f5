package dev.drydock.impact.simulation;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/** Windows and blackouts of a policy, told minute by minute from what clocks on the wall show. */
final class OwnCalendar {
  /** No clock is further from UTC. */
  private static final int APART_HOURS = 26;

  private final List<Predicate<Instant>> windows = new ArrayList<>();
  private final List<Instant[]> blackouts = new ArrayList<>();

  OwnCalendar(List<?> windowsWritten, List<?> blackoutsWritten) {
    windowsWritten.forEach(window -> windows.add(window((Map<?, ?>) window)));
    blackoutsWritten.forEach(blackout -> blackouts.add(blackout((Map<?, ?>) blackout)));
  }

  private static Predicate<Instant> window(Map<?, ?> written) {
    ZoneId zone = zone(written);
    LocalTime from = LocalTime.parse(text(written, "from"));
    LocalTime to = LocalTime.parse(text(written, "to"));
    List<String> days =
        written.get("days") instanceof List<?> some
            ? some.stream().map(day -> day.toString().toUpperCase(Locale.ROOT)).toList()
            : List.of();
    return at -> {
      ZonedDateTime shown = at.atZone(zone);
      LocalTime time = shown.toLocalTime();
      boolean sinceToday = !time.isBefore(from) && on(days, shown.toLocalDate());
      boolean sinceYesterday = on(days, shown.toLocalDate().minusDays(1));
      return to.isAfter(from)
          ? sinceToday && time.isBefore(to)
          : sinceToday || (sinceYesterday && time.isBefore(to));
    };
  }

  private static boolean on(List<String> days, LocalDate day) {
    return days.isEmpty() || days.contains(day.getDayOfWeek().name().substring(0, 3));
  }

  /** From the first minute that shows its begin or later to the last that shows its end, if any. */
  private static Instant[] blackout(Map<?, ?> written) {
    ZoneId zone = zone(written);
    LocalDateTime from = moment(text(written, "from"), 0);
    LocalDateTime to = moment(text(written, "to"), 1);
    Instant begin = around(from, -APART_HOURS);
    while (begin.atZone(zone).toLocalDateTime().isBefore(from)) {
      begin = begin.plus(1, ChronoUnit.MINUTES);
    }
    Instant end = around(to, APART_HOURS);
    while (!end.atZone(zone).toLocalDateTime().equals(to)
        && !end.minus(1, ChronoUnit.MINUTES).atZone(zone).toLocalDateTime().isBefore(to)) {
      end = end.minus(1, ChronoUnit.MINUTES);
    }
    return new Instant[] {begin, end};
  }

  private static Instant around(LocalDateTime local, int hours) {
    return local.plusHours(hours).toInstant(ZoneOffset.UTC);
  }

  /** Of a day alone, so many days later. */
  private static LocalDateTime moment(String text, int days) {
    return text.contains("T")
        ? LocalDateTime.parse(text)
        : LocalDate.parse(text).plusDays(days).atStartOfDay();
  }

  private static ZoneId zone(Map<?, ?> written) {
    return ZoneId.of(written.containsKey("timezone") ? text(written, "timezone") : "UTC");
  }

  private static String text(Map<?, ?> in, String key) {
    return Objects.requireNonNull(in.get(key), key).toString();
  }

  /** Whether windows let work go on from then to there. */
  boolean open(Instant from, Instant to) {
    return windows.isEmpty()
        || everyMinute(from, to, at -> windows.stream().anyMatch(w -> w.test(at)));
  }

  /** Whether no blackout lies between. */
  boolean clear(Instant from, Instant to) {
    return everyMinute(
        from, to, at -> blackouts.stream().noneMatch(b -> !at.isBefore(b[0]) && at.isBefore(b[1])));
  }

  /** Its first moment, whole minutes after that, and nothing of its end. */
  private static boolean everyMinute(Instant from, Instant to, Predicate<Instant> holds) {
    Instant at = from;
    do {
      if (!holds.test(at)) {
        return false;
      }
      at = at.truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
    } while (at.isBefore(to));
    return true;
  }
}
