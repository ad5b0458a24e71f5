package dev.drydock.impact.core;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** Random calendars whose windows and blackouts mostly lie about a moment. */
final class Calendars {
  private static final List<ZoneId> ZONES =
      List.of(
          ZoneId.of("UTC"),
          ZoneId.of("Europe/Berlin"),
          ZoneId.of("America/Los_Angeles"),
          ZoneId.of("Australia/Lord_Howe"));

  private Calendars() {}

  static Calendar random(RandomGenerator random, Instant about) {
    List<WeeklyWindow> windows = new ArrayList<>();
    for (int w = random.nextInt(3); w > 0; w--) {
      windows.add(window(random, about));
    }
    List<Blackout> blackouts = new ArrayList<>();
    if (windows.isEmpty() || random.nextInt(3) == 0) {
      blackouts.add(blackout(random, about));
    }
    Duration expected = Duration.ofMinutes(random.nextInt(5) * 30L);
    return new Calendar(windows, blackouts, expected);
  }

  static WeeklyWindow window(RandomGenerator random, Instant about) {
    ZoneId zone = ZONES.get(random.nextInt(ZONES.size()));
    LocalTime from = near(random, about, zone).toLocalTime();
    LocalTime to = from.plusMinutes(30L * random.nextInt(48));
    Set<DayOfWeek> days = EnumSet.allOf(DayOfWeek.class);
    days.removeIf(_ -> random.nextInt(4) == 0);
    return new WeeklyWindow(zone, days.isEmpty() ? Set.of(DayOfWeek.MONDAY) : days, from, to);
  }

  private static Blackout blackout(RandomGenerator random, Instant about) {
    ZoneId zone = ZONES.get(random.nextInt(ZONES.size()));
    LocalDateTime from = near(random, about, zone);
    return new Blackout(zone, from, from.plusMinutes(30L * (1 + random.nextInt(6))), "holidays");
  }

  /** Half hours, so that limits often coincide. */
  private static LocalDateTime near(RandomGenerator random, Instant about, ZoneId zone) {
    LocalDateTime local = LocalDateTime.ofInstant(about, zone).truncatedTo(ChronoUnit.HOURS);
    return local.plusMinutes(30L * random.nextInt(-6, 7));
  }
}
