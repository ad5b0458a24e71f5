package dev.drydock.auditor.core;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * When a policy lets work begin, told a second time: a pure function of time, looked at minute by
 * minute, as every edge of a window lies on a whole one. Work is granted where it can end by plan
 * inside windows and before a blackout; a check of a batch may come until the window ends.
 *
 * @param windows none means always
 * @param expected how long work on a host takes by plan
 */
public record PolicyCalendar(List<Weekly> windows, List<Never> blackouts, Duration expected) {
  public PolicyCalendar {
    windows = List.copyOf(windows);
    blackouts = List.copyOf(blackouts);
  }

  /**
   * A window: what clocks on the wall of its zone show.
   *
   * @param days on which it begins; none means all
   * @param to on the next day unless it is after {@code from}
   */
  public record Weekly(ZoneId zone, Set<DayOfWeek> days, LocalTime from, LocalTime to) {
    public Weekly {
      days = Set.copyOf(days);
    }

    private boolean isOpen(Instant at) {
      ZonedDateTime wall = at.atZone(zone);
      LocalTime time = wall.toLocalTime();
      boolean begun = !time.isBefore(from) && beginsOn(wall.toLocalDate());
      return to.isAfter(from)
          ? begun && time.isBefore(to)
          : begun || (time.isBefore(to) && beginsOn(wall.toLocalDate().minusDays(1)));
    }

    private boolean beginsOn(LocalDate day) {
      return days.isEmpty() || days.contains(day.getDayOfWeek());
    }
  }

  /**
   * A blackout. Where clocks show a limit twice it is the longer one, where they skip it the moment
   * of the change.
   *
   * @param to the first moment after it
   */
  public record Never(ZoneId zone, LocalDateTime from, LocalDateTime to) {

    private boolean meets(Instant begin, Instant end) {
      Instant first = moments(from).min(Comparator.naturalOrder()).orElseThrow();
      Instant over = moments(to).max(Comparator.naturalOrder()).orElseThrow();
      boolean within = !begin.isBefore(first) && begin.isBefore(over);
      return within || (begin.isBefore(first) && first.isBefore(end));
    }

    private Stream<Instant> moments(LocalDateTime wall) {
      List<ZoneOffset> offsets = zone.getRules().getValidOffsets(wall);
      return offsets.isEmpty()
          ? Stream.of(zone.getRules().getTransition(wall).getInstant())
          : offsets.stream().map(wall::toInstant);
    }
  }

  /**
   * What speaks against an admission. The decision is older than its row, by the staleness bound at
   * most: only what no moment of that time allowed is sure.
   */
  Optional<RuleViolation> against(
      LoggedAdmission loggedAdmission, Duration staleness, PolicyVersion policy) {
    Duration needed = loggedAdmission.begins() ? expected : Duration.ZERO;
    Instant at = loggedAdmission.at();
    Optional<String> says = against(at, needed);
    boolean sure = everyMinute(at.minus(staleness), at, then -> against(then, needed).isPresent());
    return says.map(why -> new RuleViolation("%s at %s (%s)".formatted(why, at, policy), sure));
  }

  private Optional<String> against(Instant at, Duration needed) {
    Instant end = at.plus(needed);
    if (blackouts.stream().anyMatch(never -> never.meets(at, end))) {
      return Optional.of("a blackout forbids work of " + words(needed));
    }
    boolean open =
        windows.isEmpty()
            || everyMinute(
                at, end, then -> windows.stream().anyMatch(window -> window.isOpen(then)));
    return open ? Optional.empty() : Optional.of("windows are not open for " + words(needed));
  }

  /** As policies write it. */
  private static String words(Duration needed) {
    return needed.toString().substring(2).toLowerCase(Locale.ROOT);
  }

  /** The first moment, and whole minutes after it before the last. */
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
