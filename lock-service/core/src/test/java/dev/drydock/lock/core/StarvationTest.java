package dev.drydock.lock.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Nobody starves (I3): a ticket for a zone of a hundred hosts, or for a large part of a budget,
 * among endless small ones; and the same streams starving it when its order is not kept.
 */
class StarvationTest {
  /** A sample; the suite `rounds` has many more. */
  private static final int RUNS = 8;

  private static final int TRIES = 20;

  private static final Backfill BACKFILL =
      new Backfill(Duration.ofMinutes(30), Duration.ofSeconds(15));

  /** Whoever has a maximum passes, however long it is. */
  private static final Backfill UNBOUNDED =
      new Backfill(Duration.ofDays(1000), Duration.ofDays(-1000));

  /** The longest any small lock is held, declared or not. */
  private static final int LONGEST_SECONDS = 900;

  @Test
  void zoneIsServedAmongEndlessSmallTicketsWithAndWithoutMaxima() {
    Prop.check("zone", RUNS, random -> zone(random, BACKFILL));
  }

  @Test
  void controlZoneStarvesWhenOthersPassWithoutBound() {
    assertThat(Prop.finds("not served", TRIES, random -> zone(random, UNBOUNDED))).isTrue();
  }

  @Test
  void largeTicketIsServedFromABudgetThatOthersNibbleAt() {
    Prop.check("budget", RUNS, random -> nibbled(random, BACKFILL));
  }

  @Test
  void controlLargeTicketStarvesWhenItsShareIsNeverKept() {
    assertThat(Prop.finds("not served", TRIES, random -> nibbled(random, UNBOUNDED))).isTrue();
  }

  /** All that it lacks when it comes ends by itself; nobody goes before it for longer than W. */
  private static void zone(Random random, Backfill backfill) {
    Fleet fleet = new Fleet(100, 1000, backfill);
    for (int second = 0; second < 120; second += 5) {
      small(fleet, random);
      fleet.pass();
      fleet.wait(5);
    }
    fleet.ask("zone", Mode.WAIT, 0, fleet.all());
    Instant asked = fleet.now;
    Duration bound = backfill.passedMax().plusSeconds(2 * LONGEST_SECONDS).plus(backfill.margin());
    serve(fleet, "zone", asked.plus(bound(bound)), random);
  }

  /** Ten of a hundred hosts may be down; somebody wants all ten. */
  private static void nibbled(Random random, Backfill backfill) {
    Fleet fleet = new Fleet(100, 10, backfill);
    small(fleet, random);
    fleet.pass();
    fleet.ask("large", Mode.WAIT, 0, fleet.all().subList(0, 10));
    Duration bound = backfill.passedMax().plusSeconds(2 * LONGEST_SECONDS).plus(backfill.margin());
    serve(fleet, "large", fleet.now.plus(bound(bound)), random);
  }

  /** A host that polls once in five minutes, of which one look of the grantor is. */
  @Test
  void fleetLockThatSeldomAsksIsServedFromABudgetThatOthersNibbleAt() {
    Prop.check("fleetlock", RUNS, StarvationTest::polled);
  }

  private static void polled(Random random) {
    int pollSeconds = 300;
    Fleet fleet = new Fleet(100, 10, BACKFILL);
    small(fleet, random);
    fleet.pass();
    fleet.ask("agent", Mode.FLEETLOCK, 3600, fleet.all().subList(0, 1));
    Instant by =
        fleet.now.plus(BACKFILL.passedMax()).plusSeconds(2 * LONGEST_SECONDS + pollSeconds);
    for (int second = 0; !fleet.has("agent"); second += 5) {
      assertThat(fleet.now).as("agent is not served: %s", fleet.told("agent")).isBefore(by);
      fleet.polls("agent", second % pollSeconds == 0);
      small(fleet, random);
      fleet.pass();
      fleet.wait(5);
    }
  }

  /** Without a bound there is none to wait for. */
  private static Duration bound(Duration bound) {
    return bound.compareTo(Duration.ofHours(3)) < 0 ? bound : Duration.ofHours(3);
  }

  private static void serve(Fleet fleet, String id, Instant by, Random random) {
    while (!fleet.has(id)) {
      assertThat(fleet.now).as("%s is not served: %s", id, fleet.told(id)).isBefore(by);
      small(fleet, random);
      fleet.pass();
      fleet.wait(5);
    }
  }

  /** Some of any kind, for hosts at random; more than the fleet can take, so that some give up. */
  private static void small(Fleet fleet, Random random) {
    for (int i = 0; i < 4; i++) {
      int lasts = 60 + random.nextInt(LONGEST_SECONDS - 60);
      Mode mode = random.nextInt(6) == 0 ? Mode.TRY : Mode.WAIT;
      fleet.ask(
          random.nextInt(3) > 0 ? lasts : 0,
          mode,
          List.of(fleet.all().get(random.nextInt(fleet.all().size()))),
          lasts);
    }
  }

  @Test
  void quarantineInAZoneStopsNobodyElse() {
    Fleet fleet = new Fleet(100, 1000, BACKFILL);
    fleet.lock("h000", Kind.QUARANTINE);
    fleet.ask("zone", Mode.WAIT, 0, fleet.all());
    fleet.pass();
    assertThat(fleet.told("zone")).startsWith("blocked, others go before it meanwhile: h000");
    for (String host : fleet.all().subList(1, 100)) {
      fleet.ask("one-" + host, Mode.WAIT, 0, List.of(host));
    }

    fleet.pass();

    assertThat(fleet.all().subList(1, 100)).allMatch(host -> fleet.has("one-" + host));
  }

  @Test
  void clockStandsStillWhileBlockedAndGoesOnForTheNextGrantor() {
    Fleet fleet = new Fleet(3, 1000, BACKFILL);
    fleet.ask("first", Mode.WAIT, 0, List.of("h000"));
    fleet.pass();
    fleet.ask("big", Mode.WAIT, 0, fleet.all());
    fleet.pass();
    fleet.ask("passer", Mode.WAIT, 60, List.of("h001"));
    fleet.pass();
    assertThat(fleet.has("passer")).as("nothing says when the first one ends").isTrue();
    assertThat(fleet.clock("big").at(fleet.now)).isEqualTo(Duration.ZERO);

    fleet.wait(600);
    fleet.lock("h002", Kind.QUARANTINE);
    fleet.pass();
    fleet.wait(3600);
    fleet.pass();
    assertThat(fleet.clock("big").at(fleet.now)).isEqualTo(Duration.ofMinutes(10));

    fleet.unlock("h002");
    fleet.pass();
    fleet.wait(60);
    fleet.pass();
    assertThat(fleet.clock("big").at(fleet.now)).isEqualTo(Duration.ofMinutes(11));

    fleet.ask("long", Mode.WAIT, 19 * 60, List.of("h001"));
    fleet.pass();
    assertThat(fleet.has("long")).as("it would be there when patience ends").isFalse();
    fleet.ask("short", Mode.WAIT, 18 * 60, List.of("h002"));
    fleet.pass();
    assertThat(fleet.has("short")).isTrue();
    fleet.wait(20 * 60);
    fleet.ask("late", Mode.WAIT, 1, List.of("h002"));
    fleet.pass();
    assertThat(fleet.has("late")).as("nobody goes before it any more").isFalse();
  }

  @Test
  void clockOfAGrantorThatWasAheadIsNotBelieved() {
    BackfillClock ahead =
        new BackfillClock(Duration.ofMinutes(5), Optional.of(Instant.EPOCH.plusSeconds(3600)));
    Fleet fleet = new Fleet(2, 1000, BACKFILL);
    fleet.ask("first", Mode.WAIT, 0, List.of("h000"));
    fleet.pass();
    fleet.ask("big", Mode.WAIT, 0, fleet.all());
    fleet.clocks.put("big", ahead);

    fleet.pass();

    assertThat(fleet.clock("big"))
        .isEqualTo(new BackfillClock(Duration.ofMinutes(5), Optional.of(fleet.now)));
  }

  @Test
  void whoIsGoneInTimeGoesBeforeAndIsTheOnlyOne() {
    Fleet fleet = new Fleet(3, 1000, BACKFILL);
    fleet.ask("first", Mode.WAIT, 100, List.of("h000"));
    fleet.pass();
    fleet.ask("big", Mode.WAIT, 0, List.of("h000", "h001"));
    fleet.ask("unbounded", Mode.WAIT, 0, List.of("h001"));
    fleet.ask("try", Mode.TRY, 10, List.of("h001"));
    fleet.ask("tooLong", Mode.WAIT, 71, List.of("h001"));
    fleet.pass();
    assertThat(fleet.has("unbounded") || fleet.has("try") || fleet.has("tooLong")).isFalse();
    assertThat(fleet.told("big"))
        .contains("h000 is held by")
        .endsWith("; reserved for it from 1970-01-01T00:01:40Z on");

    fleet.ask("inTime", Mode.WAIT, 70, List.of("h001"));
    fleet.pass();

    assertThat(fleet.has("inTime")).isTrue();
    fleet.pass();
    assertThat(fleet.told("big"))
        .endsWith("on; others may go before it until 1970-01-01T00:30:00Z");
  }

  @Test
  void batchesKeepTheOrderOfHosts() {
    Fleet fleet = new Fleet(2, 1000, BACKFILL);
    fleet.ask("first", Mode.WAIT, 100, List.of("h000"));
    fleet.pass();
    fleet.ask("big", Mode.WAIT, 0, fleet.all());
    fleet.want("batch", List.of("h001"));

    fleet.pass();

    assertThat(fleet.has("batch")).isFalse();
  }

  @Test
  void repairOfAHostThatIsDownAnywayIsNotHeldBackByWhatOthersWaitFor() {
    Fleet fleet = largeWaitsForItsBudget();
    fleet.ask("repair", Mode.TRY, 0, List.of("h007"));
    fleet.ask("other", Mode.TRY, 0, List.of("h008"));

    fleet.pass();

    assertThat(fleet.has("repair")).as("it eats nothing").isTrue();
    assertThat(fleet.has("other")).isFalse();
    assertThat(fleet.clocks).as("nobody went before anybody").isEmpty();
  }

  @Test
  void hostWhoseWorkJustEndedIsNotTakenAgainFromWhoWaitsForIt() {
    Fleet fleet = largeWaitsForItsBudget();
    fleet.unseen.add("h009");
    fleet.ask("again", Mode.TRY, 0, List.of("h009"));

    fleet.pass();

    assertThat(fleet.has("again")).as("it would be up again soon").isFalse();
  }

  /** Of four that may be down it wants three, and one is held. */
  private static Fleet largeWaitsForItsBudget() {
    Fleet fleet = new Fleet(10, 4, BACKFILL);
    fleet.ask("first", Mode.WAIT, 0, List.of("h000"));
    fleet.pass();
    fleet.broken.add("h007");
    fleet.ask("large", Mode.WAIT, 0, List.of("h001", "h002", "h003"));
    fleet.pass();
    assertThat(fleet.told("large")).startsWith("5 of 4 hosts would be down");
    return fleet;
  }

  @Test
  void whatIsDownWithoutAHolderLetsOthersPass() {
    Fleet fleet = new Fleet(10, 3, BACKFILL);
    fleet.broken.add("h009");
    fleet.ask("large", Mode.WAIT, 0, fleet.all().subList(0, 3));
    fleet.pass();
    assertThat(fleet.told("large")).startsWith("blocked");

    fleet.wait(3600);
    fleet.ask("one", Mode.WAIT, 0, List.of("h000"));
    fleet.pass();

    assertThat(fleet.has("one")).isTrue();
    assertThat(fleet.clocks).isEmpty();
  }
}
