package dev.drydock.impact.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * When work may begin: inside a window and no blackout, early enough to end there too (start-by).
 * Windows that touch or overlap are one. Work that has begun is not stopped.
 *
 * @param windows none means always
 * @param expected how long work on a host takes, as planned
 */
public record Calendar(List<WeeklyWindow> windows, List<Blackout> blackouts, Duration expected)
    implements Rule {
  /** How far ahead it is looked for a time to begin; the last change of clocks repeats by then. */
  static final int HORIZON_DAYS = 400;

  private static final int NEAR_DAYS = 15;
  private static final Instant SOME_DAY = Instant.parse("2026-01-01T00:00:00Z");

  public Calendar {
    windows = List.copyOf(windows);
    blackouts = List.copyOf(blackouts);
  }

  /** A check of a batch may come after start-by, but not after the window. */
  @Override
  public RuleResult judge(ApplicationState state) {
    Instant now = state.fleet().now();
    Duration needed = state.begun() ? Duration.ZERO : expected;
    if (fits(now, needed)) {
      return RuleResult.of(true, "open");
    }
    String next =
        next(List.of(this), now).map(at -> "; next at " + at).orElse("; not in the coming year");
    return RuleResult.of(false, why(now, needed) + next);
  }

  private String why(Instant now, Duration needed) {
    Optional<Blackout> blackout = blackouts.stream().filter(b -> b.contains(now)).findFirst();
    if (blackout.isPresent()) {
      return "blackout until %s (%s)".formatted(blackout.get().end(), blackout.get().reason());
    }
    Instant end = openUntil(now, needed);
    if (!windows.isEmpty() && end.equals(now)) {
      return "closed";
    }
    for (Blackout ahead : blackouts) {
      end = ahead.beginsWithin(now, end) ? ahead.begin() : end;
    }
    return "open until %s, and work takes %s: it had to begin by %s"
        .formatted(end, DurationFormat.of(needed), end.minus(needed));
  }

  /** Whether work may begin at {@code when} and take so long. */
  public boolean fits(Instant when, Duration needed) {
    Instant end = when.plus(needed);
    return blackouts.stream().noneMatch(b -> b.contains(when) || b.beginsWithin(when, end))
        && (windows.isEmpty()
            || (!openUntil(when, Duration.ZERO).equals(when)
                && !openUntil(when, needed).isBefore(end)));
  }

  /**
   * Until when windows are open without a break, looked at no further than the work needs; {@code
   * when} itself if they are closed.
   */
  private Instant openUntil(Instant when, Duration needed) {
    Instant until = when;
    if (windows.isEmpty()) {
      return when.plus(needed);
    }
    do {
      Instant reached = until;
      Optional<Instant> further =
          windows.stream().flatMap(w -> w.openUntil(reached).stream()).max(Instant::compareTo);
      if (further.isEmpty()) {
        return until;
      }
      until = further.get();
    } while (until.isBefore(when.plus(needed)));
    return until;
  }

  /** Whether work fits into some window, blackouts aside; the same answer at any time. */
  public boolean fitsSomewhere() {
    Calendar open = new Calendar(windows, List.of(), expected);
    return next(List.of(open), SOME_DAY).isPresent();
  }

  /** The first time at or after {@code from} at which all of these let work begin. */
  public static Optional<Instant> next(Collection<Calendar> all, Instant from) {
    return next(all, from, NEAR_DAYS).or(() -> next(all, from, HORIZON_DAYS));
  }

  private static Optional<Instant> next(Collection<Calendar> all, Instant from, int dayCount) {
    List<Instant> moments = new ArrayList<>(List.of(from));
    for (Calendar calendar : all) {
      calendar.windows().forEach(window -> moments.addAll(window.openings(from, dayCount)));
      calendar.blackouts().forEach(blackout -> moments.add(blackout.end()));
    }
    Instant last = from.plus(Duration.ofDays(dayCount));
    return moments.stream()
        .filter(at -> !at.isBefore(from) && !at.isAfter(last))
        .sorted()
        .distinct()
        .filter(at -> all.stream().allMatch(calendar -> calendar.fits(at, calendar.expected())))
        .findFirst();
  }

  @Override
  public Lasts lasts() {
    return Lasts.DAYS;
  }

  /** By this calendar alone; what several have in common is looked at when a host is submitted. */
  @Override
  public Optional<String> never(ApplicationState state) {
    return next(List.of(this), state.fleet().now()).isPresent()
        ? Optional.empty()
        : Optional.of(
            "work takes %s, and in the coming %d days it fits nowhere"
                .formatted(DurationFormat.of(expected), HORIZON_DAYS));
  }

  @Override
  public String toString() {
    return windows.isEmpty() ? "blackouts" : "windows " + windows;
  }
}
