package dev.drydock.lock.core;

import static dev.drydock.lock.core.Samples.GRANT;
import static dev.drydock.lock.core.Samples.WAIT;
import static dev.drydock.lock.core.Samples.batch;
import static dev.drydock.lock.core.Samples.candidate;
import static dev.drydock.lock.core.Samples.decide;
import static dev.drydock.lock.core.Samples.locks;
import static dev.drydock.lock.core.Samples.session;
import static dev.drydock.lock.core.Samples.table;
import static dev.drydock.lock.core.Samples.ticket;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.LockRecord.Stage;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Clients' tickets and holds, and the brake. */
class GrantorPassTest {
  @Test
  void refusedTryNamesHolderKindAndReason() {
    LockTable table = table(locks(session("t1", "h1")), ticket("t2", Mode.TRY, 5, "h1", "h2"));

    assertThat(decide(table, List.of(), List.of(), GRANT))
        .singleElement()
        .isInstanceOfSatisfying(
            GrantorDecision.TurnAway.class,
            refused ->
                assertThat(refused.reason())
                    .contains("h1", "someone", "session lock t1", "maintenance"));
  }

  @Test
  void refusedTryNamesTheBudget() {
    LockTable table = table(Map.of(), ticket("t2", Mode.TRY, 5, "h1"));

    assertThat(decide(table, List.of(), List.of(), WAIT))
        .containsExactly(
            new GrantorDecision.TurnAway(
                ticket("t2", Mode.TRY, 5, "h1"), "web would fall below 9"));
  }

  @Test
  void whoOnlyPollsIsGrantedWhileItAsksAndReservedMeanwhile() {
    Ticket next = ticket("f1", Mode.FLEETLOCK, 5, "h1");
    Ticket later = ticket("t2", Mode.WAIT, 6, "h1");

    assertThat(decide(table(Map.of(), next, later), List.of(), List.of(), GRANT))
        .as("nobody would hear of the grant")
        .allMatch(GrantorDecision.TicketWaits.class::isInstance)
        .hasSize(2);
    Ticket asking = next.asking(Optional.of(Instant.EPOCH.plusSeconds(1)));
    assertThat(decide(table(Map.of(), asking, later), List.of(), List.of(), GRANT))
        .first()
        .isInstanceOfSatisfying(
            GrantorDecision.GrantTicket.class,
            grant -> assertThat(grant.ticket()).isEqualTo(asking));
    LockTable dead =
        new LockTable(100, Map.of(), List.of(asking, later), Map.of(), Set.of(later.id()));
    assertThat(decide(dead, List.of(), List.of(), GRANT))
        .as("it loses its place")
        .anyMatch(GrantorDecision.TurnAway.class::isInstance)
        .anyMatch(GrantorDecision.GrantTicket.class::isInstance);
  }

  @Test
  void noClockTakesAPlaceFromWhoeverIsAlive() {
    Ticket late = ticket("t1", Mode.WAIT, 5, "h1").withDeadline(Instant.EPOCH.minusSeconds(3600));
    Ticket polls =
        ticket("f1", Mode.FLEETLOCK, 5, "h2")
            .withDeadline(Instant.EPOCH.minusSeconds(3600))
            .asking(Optional.of(Instant.EPOCH.minusSeconds(3600)));

    assertThat(decide(table(Map.of(), late, polls), List.of(), List.of(), GRANT))
        .hasExactlyElementsOfTypes(
            GrantorDecision.GrantTicket.class, GrantorDecision.TicketWaits.class);
  }

  @Test
  void pollThatItsServerDidNotLiveToCloseIsClosedOnceItIsPastByMoreThanClocksDiffer() {
    Ticket next = ticket("f1", Mode.FLEETLOCK, 5, "h1");
    Ticket later = ticket("t2", Mode.WAIT, 6, "h1");
    Ticket justOver = next.asking(Optional.of(Instant.EPOCH.minusSeconds(60)));
    Ticket longOver = next.asking(Optional.of(Instant.EPOCH.minusSeconds(61)));

    assertThat(decide(table(Map.of(), justOver), List.of(), List.of(), GRANT))
        .hasExactlyElementsOfTypes(GrantorDecision.GrantTicket.class);
    assertThat(decide(table(Map.of(), longOver, later), List.of(), List.of(), GRANT))
        .as("nobody would hear of the grant; it keeps its place")
        .hasExactlyElementsOfTypes(
            GrantorDecision.TicketWaits.class, GrantorDecision.TicketWaits.class)
        .first()
        .asString()
        .contains("granted when its client asks again", "1969-12-31T23:58:59Z", "clocks");
  }

  @Test
  void advisoryClientIsNotStoppedByABudgetAndItsReasonTells() {
    Ticket advised = ticket("t1", Mode.WAIT, 5, "h1").advised(true);

    assertThat(decide(table(Map.of(), advised), List.of(), List.of(), WAIT))
        .singleElement()
        .isInstanceOfSatisfying(
            GrantorDecision.GrantTicket.class,
            grant -> {
              assertThat(grant.verdict()).isEqualTo(WAIT);
              assertThat(grant.ticket().reason())
                  .endsWith("(advisory, although web would fall below 9)");
            });
    assertThat(decide(table(locks(session("t0", "h1")), advised), List.of(), List.of(), WAIT))
        .as("a host is exclusive all the same")
        .singleElement()
        .isInstanceOf(GrantorDecision.TicketWaits.class);
    Verdict refused = new Verdict(Verdict.Decision.REFUSE, "never", List.of());
    assertThat(decide(table(Map.of(), advised), List.of(), List.of(), refused))
        .singleElement()
        .isInstanceOf(GrantorDecision.TurnAway.class);
  }

  /** What a living client has for an unknown time others may use meanwhile; not so a dead one's. */
  @Test
  void nobodyGoesBeforeWhoWaitsForADeadClientsHost() {
    Ticket waits = ticket("t1", Mode.WAIT, 5, "h1", "h2");
    Ticket bounded = ticket("t2", Mode.WAIT, 6, "h2").lasting(600);
    LockTable living = table(locks(session("t0", "h1")), waits, bounded);

    assertThat(decide(living, List.of(), List.of(), GRANT))
        .anyMatch(GrantorDecision.GrantTicket.class::isInstance);
    assertThat(decide(without("t0", living), List.of(), List.of(), GRANT))
        .hasExactlyElementsOfTypes(
            GrantorDecision.TicketWaits.class, GrantorDecision.TicketWaits.class)
        .first()
        .asString()
        .contains("h1 is held by someone")
        .doesNotContain("may go before it")
        .doesNotContain("reserved for it");
  }

  /** They begin once it does, and that is soon. */
  @Test
  void norBeforeWhoIsBehindThem() {
    Ticket waits = ticket("t1", Mode.WAIT, 5, "h1", "h2");
    Ticket behind = ticket("t2", Mode.WAIT, 6, "h2", "h3");
    Ticket bounded = ticket("t3", Mode.WAIT, 7, "h3").lasting(600);
    LockTable living = table(locks(session("t0", "h1")), waits, behind, bounded);

    assertThat(decide(living, List.of(), List.of(), GRANT))
        .anyMatch(GrantorDecision.GrantTicket.class::isInstance);
    assertThat(decide(without("t0", living), List.of(), List.of(), GRANT))
        .hasSize(3)
        .allMatch(GrantorDecision.TicketWaits.class::isInstance)
        .noneMatch(waiting -> waiting.toString().contains("reserved for it"));
  }

  /** Nor before those behind a client that only has to poll again. */
  @Test
  void norBeforeWhoIsBehindAPoll() {
    Ticket polls = ticket("f1", Mode.FLEETLOCK, 5, "h2");
    Ticket behind = ticket("t2", Mode.WAIT, 6, "h2", "h3");
    Ticket bounded = ticket("t3", Mode.WAIT, 7, "h3").lasting(600);

    assertThat(decide(table(Map.of(), polls, behind, bounded), List.of(), List.of(), GRANT))
        .hasSize(3)
        .allMatch(GrantorDecision.TicketWaits.class::isInstance);
  }

  /** The client of a lock is gone. */
  private static LockTable without(String id, LockTable table) {
    Set<String> alive = new HashSet<>(table.alive());
    alive.remove(id);
    return new LockTable(100, table.locks(), table.tickets(), table.ended(), alive);
  }

  @Test
  void holdOfAClientPastItsMaximumIsNotedAndVerifiedAndExcludesMeanwhile() {
    Ticket ticket = ticket("f1", Mode.FLEETLOCK, 5, "h1").lasting(60);
    LockRecord hold = Grants.foreign(ticket, Instant.EPOCH.minusSeconds(61)).getFirst();
    Ticket waiter = ticket("t2", Mode.WAIT, 6, "h1");
    LockTable there = table(locks(hold), waiter);

    assertThat(decide(there, List.of(), List.of(), GRANT))
        .as("whatever the clock says")
        .hasExactlyElementsOfTypes(GrantorDecision.TicketWaits.class);
    assertThat(decideSeeing("h1", there))
        .hasExactlyElementsOfTypes(
            GrantorDecision.NoteLapse.class, GrantorDecision.TicketWaits.class);
    LockTable noted =
        new LockTable(
            9,
            locks(hold),
            List.of(),
            Map.of("h1", new EndedLock("h1", "f1", 7, "x", "y")),
            Set.of());
    assertThat(decide(noted, List.of(), List.of(), GRANT))
        .as("the admission of this test has seen nothing since")
        .isEmpty();
  }

  /** By a grantor that saw what is on the host for as long as it may take. */
  private static List<GrantorDecision> decideSeeing(String host, LockTable table) {
    GrantorPass.Witnessed witnessed = new GrantorPass.Witnessed(Set.of(), Set.of(host));
    return GrantorPass.decide(
        new GrantorPass.Input(table, List.of(), List.of(), Instant.EPOCH, witnessed),
        Samples.always(GRANT),
        GrantorPass.Limits.DEFAULT);
  }

  @Test
  void quarantineOfOneHostDoesNotReserveTheOthers() {
    LockRecord quarantined = batch("g1", "h1", Stage.OPEN).quarantined("does not boot");
    LockTable table =
        table(
            locks(quarantined),
            ticket("t1", Mode.WAIT, 5, "h1", "h2"),
            ticket("t2", Mode.WAIT, 6, "h2"));

    assertThat(decide(table, List.of(), List.of(), GRANT))
        .anyMatch(
            decision ->
                decision instanceof GrantorDecision.GrantTicket grant
                    && grant.ticket().id().equals("t2"));
  }

  @Test
  void brakeGrantsNothingAndSaysWhoPulledIt() {
    LockTable free =
        table(
            locks(batch("g1", "h9", Stage.CONFIRMED)),
            ticket("t1", Mode.WAIT, 5, "h1"),
            ticket("t2", Mode.TRY, 6, "h2"));
    List<Check> checks = List.of(new Check("g1", Check.Kind.OPEN, 1, List.of("h9")));

    assertThat(decide(free, List.of(candidate("c1")), checks, GRANT))
        .as("without the brake")
        .filteredOn(GrantorPassTest::takes)
        .hasSize(4);

    List<GrantorDecision> decisions = decide(braked(free), List.of(candidate("c1")), checks, GRANT);

    assertThat(decisions).noneMatch(GrantorPassTest::takes);
    assertThat(decisions)
        .hasSize(4)
        .allMatch(decision -> decision.toString().contains("frozen by ann (power failure)"));
  }

  private static boolean takes(GrantorDecision decision) {
    return decision instanceof GrantorDecision.GrantTicket
        || decision instanceof GrantorDecision.GrantCandidate
        || decision instanceof GrantorDecision.JudgeCheck judged && judged.verdict().granted();
  }

  private static LockTable braked(LockTable table) {
    Brake brake = new Brake("ann", "power failure", Instant.EPOCH);
    return new LockTable(
        table.revision(),
        table.locks(),
        table.tickets(),
        table.ended(),
        table.alive(),
        Optional.of(brake),
        table.passed());
  }
}
