package dev.drydock.impact.core;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.TextStyle;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A weekly span of time, open exactly while clocks on the wall in its zone show a time in it. So
 * when clocks go forward what they skip is not in it, and when they go back it may be open twice.
 *
 * @param days on which it begins
 * @param to the first time no longer in it; on the next day unless after {@code from}
 */
public record WeeklyWindow(ZoneId zone, Set<DayOfWeek> days, LocalTime from, LocalTime to) {
  public WeeklyWindow {
    days = Set.copyOf(days);
  }

  /**
   * Until when it is open without a break or a change of clocks, when it is open at {@code when};
   * it may be open again at once.
   */
  Optional<Instant> openUntil(Instant when) {
    LocalDateTime local = LocalDateTime.ofInstant(when, zone);
    for (LocalDate day : List.of(local.toLocalDate().minusDays(1), local.toLocalDate())) {
      if (days.contains(day.getDayOfWeek())
          && !local.isBefore(begin(day))
          && local.isBefore(end(day))) {
        Instant end = end(day).toInstant(zone.getRules().getOffset(when));
        ZoneOffsetTransition change = zone.getRules().nextTransition(when);
        return Optional.of(
            change != null && change.getInstant().isBefore(end) ? change.getInstant() : end);
      }
    }
    return Optional.empty();
  }

  /** When it opens or clocks change, if that may open it, from the day of {@code from} on. */
  List<Instant> openings(Instant from, int dayCount) {
    LocalDate first = LocalDate.ofInstant(from, zone).minusDays(1);
    List<Instant> openings = new ArrayList<>();
    for (int d = 0; d <= dayCount; d++) {
      LocalDate day = first.plusDays(d);
      if (days.contains(day.getDayOfWeek())) {
        LocalDateTime begin = begin(day);
        zone.getRules()
            .getValidOffsets(begin)
            .forEach(offset -> openings.add(begin.toInstant(offset)));
      }
    }
    Instant last = from.plusSeconds(86_400L * dayCount);
    ZoneOffsetTransition change = zone.getRules().nextTransition(from);
    while (change != null && change.getInstant().isBefore(last)) {
      openings.add(change.getInstant());
      change = zone.getRules().nextTransition(change.getInstant());
    }
    return openings;
  }

  private LocalDateTime begin(LocalDate day) {
    return day.atTime(from);
  }

  private LocalDateTime end(LocalDate day) {
    return (to.isAfter(from) ? day : day.plusDays(1)).atTime(to);
  }

  @Override
  public String toString() {
    String on =
        days.size() == 7
            ? ""
            : new TreeSet<>(days)
                    .stream()
                        .map(day -> day.getDisplayName(TextStyle.SHORT, Locale.ENGLISH))
                        .collect(Collectors.joining(","))
                + " ";
    return on + from + "-" + to + " " + zone;
  }
}
