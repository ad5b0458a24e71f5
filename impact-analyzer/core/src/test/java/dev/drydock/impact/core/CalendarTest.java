package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CalendarTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final Duration HOUR = Duration.ofHours(1);

  private static WeeklyWindow daily(String from, String to) {
    return new WeeklyWindow(
        BERLIN, EnumSet.allOf(DayOfWeek.class), LocalTime.parse(from), LocalTime.parse(to));
  }

  private static Calendar calendar(Duration expected, WeeklyWindow... windows) {
    return new Calendar(List.of(windows), List.of(), expected);
  }

  private static Instant berlin(String local) {
    return ZonedDateTime.of(LocalDateTime.parse(local), BERLIN).toInstant();
  }

  private static boolean open(Calendar calendar, String instant) {
    return calendar.fits(Instant.parse(instant), calendar.expected());
  }

  @Test
  void startsByTheEndLessTheExpectedDuration() {
    Calendar calendar = calendar(HOUR, daily("09:00", "16:00"));
    assertThat(calendar.fits(berlin("2026-06-01T08:59"), HOUR)).isFalse();
    assertThat(calendar.fits(berlin("2026-06-01T09:00"), HOUR)).isTrue();
    assertThat(calendar.fits(berlin("2026-06-01T15:00"), HOUR)).isTrue();
    assertThat(calendar.fits(berlin("2026-06-01T15:01"), HOUR)).isFalse();
    assertThat(calendar.fits(berlin("2026-06-01T15:59"), Duration.ZERO)).as("a check").isTrue();
    assertThat(calendar.fits(berlin("2026-06-01T16:00"), Duration.ZERO)).isFalse();
  }

  @Test
  void aNightBelongsToTheDayItBeginsOn() {
    WeeklyWindow night =
        new WeeklyWindow(
            BERLIN, Set.of(DayOfWeek.FRIDAY), LocalTime.parse("22:00"), LocalTime.parse("04:00"));
    Calendar calendar = calendar(HOUR, night);
    assertThat(calendar.fits(berlin("2026-06-05T23:30"), HOUR)).as("Friday").isTrue();
    assertThat(calendar.fits(berlin("2026-06-06T03:00"), HOUR)).as("Saturday").isTrue();
    assertThat(calendar.fits(berlin("2026-06-05T02:00"), HOUR)).as("Thursday's night").isFalse();
    assertThat(calendar.fits(berlin("2026-06-06T23:00"), HOUR)).as("Saturday evening").isFalse();
  }

  @Test
  void windowsThatTouchAreOne() {
    Calendar calendar =
        calendar(Duration.ofHours(3), daily("08:00", "10:00"), daily("10:00", "12:00"));
    assertThat(calendar.fits(berlin("2026-06-01T09:00"), calendar.expected())).isTrue();
    assertThat(calendar.fits(berlin("2026-06-01T09:01"), calendar.expected())).isFalse();
    assertThat(calendar(Duration.ofHours(48), daily("00:00", "00:00")).fitsSomewhere()).isTrue();
    assertThat(calendar(HOUR, daily("08:00", "08:59")).fitsSomewhere()).isFalse();
  }

  /** On 2026-03-29 clocks go from 02:00 CET to 03:00 CEST at 01:00 UTC. */
  @Test
  void whatClocksSkipInSpringIsInNoWindow() {
    Calendar skipped = calendar(Duration.ofMinutes(10), daily("02:00", "03:00"));
    assertThat(open(skipped, "2026-03-29T00:59:00Z")).as("01:59 CET").isFalse();
    assertThat(open(skipped, "2026-03-29T01:00:00Z")).as("03:00 CEST").isFalse();
    assertThat(Calendar.next(List.of(skipped), Instant.parse("2026-03-29T00:00:00Z")))
        .as("02:00 on the next day")
        .contains(Instant.parse("2026-03-30T00:00:00Z"));

    Calendar begun = calendar(HOUR, daily("02:30", "04:00"));
    assertThat(open(begun, "2026-03-29T00:59:00Z")).isFalse();
    assertThat(open(begun, "2026-03-29T01:00:00Z")).as("03:00, one hour left").isTrue();
    assertThat(open(begun, "2026-03-29T01:01:00Z")).isFalse();
    assertThat(Calendar.next(List.of(begun), Instant.parse("2026-03-29T00:00:00Z")))
        .contains(Instant.parse("2026-03-29T01:00:00Z"));

    Calendar across = calendar(HOUR.multipliedBy(2), daily("01:00", "04:00"));
    assertThat(open(across, "2026-03-29T00:00:00Z")).as("three hours by the wall, two").isTrue();
    assertThat(open(across, "2026-03-29T00:01:00Z")).isFalse();
  }

  /** On 2026-10-25 clocks go from 03:00 CEST to 02:00 CET at 01:00 UTC. */
  @Test
  void whatClocksShowTwiceInAutumnIsOpenTwice() {
    Calendar twice = calendar(Duration.ofMinutes(30), daily("02:00", "02:30"));
    assertThat(open(twice, "2026-10-25T00:00:00Z")).as("02:00 CEST").isTrue();
    assertThat(open(twice, "2026-10-25T00:30:00Z")).as("02:30 CEST").isFalse();
    assertThat(open(twice, "2026-10-25T01:00:00Z")).as("02:00 CET").isTrue();
    assertThat(open(twice, "2026-10-25T01:30:00Z")).as("02:30 CET").isFalse();
    assertThat(Calendar.next(List.of(twice), Instant.parse("2026-10-25T00:10:00Z")))
        .contains(Instant.parse("2026-10-25T01:00:00Z"));

    Calendar whole = calendar(Duration.ofHours(2), daily("02:00", "03:00"));
    assertThat(open(whole, "2026-10-25T00:00:00Z")).as("two hours without a break").isTrue();
    assertThat(open(whole, "2026-10-25T00:01:00Z")).isFalse();

    Calendar split = calendar(HOUR, daily("01:00", "02:30"));
    assertThat(open(split, "2026-10-24T23:30:00Z")).as("until 02:30 CEST").isTrue();
    assertThat(open(split, "2026-10-25T00:00:00Z")).as("half an hour, then a break").isFalse();
    Calendar again = calendar(Duration.ofMinutes(30), daily("01:00", "02:30"));
    assertThat(Calendar.next(List.of(again), Instant.parse("2026-10-25T00:20:00Z")))
        .as("open anew when clocks are set back")
        .contains(Instant.parse("2026-10-25T01:00:00Z"));
  }

  @Test
  void aBlackoutIsTheLongerOfWhatClocksShowTwice() {
    Blackout blackout =
        new Blackout(
            BERLIN,
            LocalDateTime.parse("2026-10-25T02:10"),
            LocalDateTime.parse("2026-10-25T02:20"),
            "move");
    assertThat(blackout.begin()).isEqualTo(Instant.parse("2026-10-25T00:10:00Z"));
    assertThat(blackout.end()).isEqualTo(Instant.parse("2026-10-25T01:20:00Z"));
  }

  @Test
  void workEndsBeforeABlackoutBegins() {
    Blackout blackout =
        new Blackout(
            ZoneOffset.UTC,
            LocalDateTime.parse("2026-06-01T12:00"),
            LocalDateTime.parse("2026-06-02T00:00"),
            "launch");
    Calendar calendar = new Calendar(List.of(), List.of(blackout), HOUR);
    assertThat(open(calendar, "2026-06-01T11:00:00Z")).isTrue();
    assertThat(open(calendar, "2026-06-01T11:01:00Z")).isFalse();
    assertThat(open(calendar, "2026-06-02T00:00:00Z")).isTrue();
    assertThat(Calendar.next(List.of(calendar), Instant.parse("2026-06-01T11:01:00Z")))
        .contains(Instant.parse("2026-06-02T00:00:00Z"));
  }

  /** Hours around changes of clocks in all zones, and any others. */
  private record Case(Calendar calendar, Instant at) {
    static Case random(RandomGenerator random) {
      Instant change =
          Stream.of(
                  "2026-03-29T01:00:00Z",
                  "2026-10-25T01:00:00Z",
                  "2026-03-08T10:00:00Z",
                  "2026-11-01T09:00:00Z",
                  "2026-04-04T15:00:00Z",
                  "2026-10-03T15:30:00Z",
                  "2026-06-01T12:00:00Z")
              .map(Instant::parse)
              .toList()
              .get(random.nextInt(7));
      Instant at = change.plusSeconds(1_800L * random.nextInt(-8, 9));
      Calendar with = Calendars.random(random, change);
      return new Case(new Calendar(with.windows(), List.of(), with.expected()), at);
    }

    boolean byMinutes() {
      for (long minute = 0; minute < Math.max(1, calendar.expected().toMinutes()); minute++) {
        if (!BruteForce.openAt(calendar, at.plusSeconds(60 * minute))) {
          return false;
        }
      }
      return true;
    }

    Optional<Instant> nextByHalfHours() {
      for (long half = 0; half < 2 * 24 * 15; half++) {
        Case then = new Case(calendar, at.plusSeconds(1_800 * half));
        if (then.byMinutes()) {
          return Optional.of(then.at());
        }
      }
      return Optional.empty();
    }
  }

  private static String disagreement(Case it, UnaryOperator<Calendar> mistake) {
    return mistake.apply(it.calendar()).fits(it.at(), it.calendar().expected()) == it.byMinutes()
        ? ""
        : "minute by minute: " + it.byMinutes();
  }

  @Test
  void agreesWithAClockLookedAtEachMinute() {
    Properties.check(Case::random, _ -> Stream.empty(), it -> disagreement(it, same -> same));
  }

  @Test
  void theClockCatchesFixedOffsets() {
    assertThat(
            Properties.caught(
                Case::random,
                _ -> Stream.empty(),
                it -> disagreement(it, CalendarTest::inWinterTime)))
        .contains("-Dprop.seed=");
  }

  private static Calendar inWinterTime(Calendar calendar) {
    return new Calendar(
        calendar.windows().stream()
            .map(
                w ->
                    new WeeklyWindow(
                        w.zone().getRules().getStandardOffset(RandomFleet.NOW),
                        w.days(),
                        w.from(),
                        w.to()))
            .toList(),
        calendar.blackouts(),
        calendar.expected());
  }

  @Test
  void theNextTimeIsTheFirstOneAClockWouldFind() {
    Properties.check(
        Case::random,
        _ -> Stream.empty(),
        it -> {
          Optional<Instant> next = Calendar.next(List.of(it.calendar()), it.at());
          Optional<Instant> looked = it.nextByHalfHours();
          return looked.isEmpty() || next.equals(looked) ? "" : next + ", but " + looked;
        });
  }
}
