package dev.drydock.lock.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.GrantorPass.Input;
import dev.drydock.lock.core.GrantorPass.Limits;
import dev.drydock.lock.core.LockRecord.Stage;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GrantorPassTest {
  private static final Verdict GRANT = new Verdict(Verdict.Decision.GRANT, "fits", List.of());
  private static final Verdict HOLD =
      new Verdict(Verdict.Decision.HOLD, "web would fall below 9", List.of());

  @Test
  void refusedTryNamesHolderKindAndReason() {
    LockTable table = table(locks(session("t1", "h1")), ticket("t2", Mode.TRY, 5, "h1", "h2"));

    assertThat(decide(table, List.of(), List.of(), GRANT))
        .singleElement()
        .isInstanceOfSatisfying(
            Decision.TurnAway.class,
            refused ->
                assertThat(refused.reason())
                    .contains("h1", "someone", "session lock t1", "maintenance"));
  }

  @Test
  void refusedTryNamesTheBudget() {
    LockTable table = table(Map.of(), ticket("t2", Mode.TRY, 5, "h1"));

    assertThat(decide(table, List.of(), List.of(), HOLD))
        .containsExactly(
            new Decision.TurnAway(ticket("t2", Mode.TRY, 5, "h1"), "web would fall below 9"));
  }

  @Test
  void whoOnlyPollsIsGrantedWhileItAsksAndReservedMeanwhile() {
    Ticket next = ticket("f1", Mode.FLEETLOCK, 5, "h1");
    Ticket later = ticket("t2", Mode.WAIT, 6, "h1");

    assertThat(decide(table(Map.of(), next, later), List.of(), List.of(), GRANT))
        .as("nobody would hear of the grant")
        .allMatch(Decision.TicketWaits.class::isInstance)
        .hasSize(2);
    Ticket asking = next.asking(Optional.of(Instant.EPOCH.plusSeconds(1)));
    assertThat(decide(table(Map.of(), asking, later), List.of(), List.of(), GRANT))
        .first()
        .isInstanceOfSatisfying(
            Decision.GrantTicket.class, grant -> assertThat(grant.ticket()).isEqualTo(asking));
    LockTable dead =
        new LockTable(100, Map.of(), List.of(asking, later), Map.of(), Set.of(later.id()));
    assertThat(decide(dead, List.of(), List.of(), GRANT))
        .as("it loses its place")
        .anyMatch(Decision.TurnAway.class::isInstance)
        .anyMatch(Decision.GrantTicket.class::isInstance);
  }

  @Test
  void noClockTakesAPlaceFromWhoeverIsAlive() {
    Ticket late = ticket("t1", Mode.WAIT, 5, "h1").withDeadline(Instant.EPOCH.minusSeconds(3600));
    Ticket polls =
        ticket("f1", Mode.FLEETLOCK, 5, "h2")
            .withDeadline(Instant.EPOCH.minusSeconds(3600))
            .asking(Optional.of(Instant.EPOCH.minusSeconds(3600)));

    assertThat(decide(table(Map.of(), late, polls), List.of(), List.of(), GRANT))
        .hasExactlyElementsOfTypes(Decision.GrantTicket.class, Decision.TicketWaits.class);
  }

  @Test
  void pollThatItsServerDidNotLiveToCloseIsClosedOnceItIsPastByMoreThanClocksDiffer() {
    Ticket next = ticket("f1", Mode.FLEETLOCK, 5, "h1");
    Ticket later = ticket("t2", Mode.WAIT, 6, "h1");
    Ticket justOver = next.asking(Optional.of(Instant.EPOCH.minusSeconds(60)));
    Ticket longOver = next.asking(Optional.of(Instant.EPOCH.minusSeconds(61)));

    assertThat(decide(table(Map.of(), justOver), List.of(), List.of(), GRANT))
        .hasExactlyElementsOfTypes(Decision.GrantTicket.class);
    assertThat(decide(table(Map.of(), longOver, later), List.of(), List.of(), GRANT))
        .as("nobody would hear of the grant; it keeps its place")
        .hasExactlyElementsOfTypes(Decision.TicketWaits.class, Decision.TicketWaits.class)
        .first()
        .asString()
        .contains("granted when its client asks again", "1969-12-31T23:58:59Z", "clocks");
  }

  @Test
  void advisoryClientIsNotStoppedByABudgetAndItsReasonTells() {
    Ticket advised = ticket("t1", Mode.WAIT, 5, "h1").advised();

    assertThat(decide(table(Map.of(), advised), List.of(), List.of(), HOLD))
        .singleElement()
        .isInstanceOfSatisfying(
            Decision.GrantTicket.class,
            grant -> {
              assertThat(grant.verdict()).isEqualTo(HOLD);
              assertThat(grant.ticket().reason())
                  .endsWith("(advisory, although web would fall below 9)");
            });
    assertThat(decide(table(locks(session("t0", "h1")), advised), List.of(), List.of(), HOLD))
        .as("a host is exclusive all the same")
        .singleElement()
        .isInstanceOf(Decision.TicketWaits.class);
    Verdict refused = new Verdict(Verdict.Decision.REFUSE, "never", List.of());
    assertThat(decide(table(Map.of(), advised), List.of(), List.of(), refused))
        .singleElement()
        .isInstanceOf(Decision.TurnAway.class);
  }

  @Test
  void holdOfAClientPastItsMaximumIsNotedAndVerifiedAndExcludesMeanwhile() {
    Ticket ticket = ticket("f1", Mode.FLEETLOCK, 5, "h1").lasting(60);
    LockRecord young = Grants.foreign(ticket, Instant.EPOCH.minusSeconds(59)).getFirst();
    LockRecord old = Grants.foreign(ticket, Instant.EPOCH.minusSeconds(61)).getFirst();
    Ticket waiter = ticket("t2", Mode.WAIT, 6, "h1");

    assertThat(decide(table(locks(young)), List.of(), List.of(), GRANT)).isEmpty();
    assertThat(decide(table(locks(old), waiter), List.of(), List.of(), GRANT))
        .hasExactlyElementsOfTypes(Decision.NoteLapse.class, Decision.TicketWaits.class);
    LockTable noted =
        new LockTable(
            9, locks(old), List.of(), Map.of("h1", new Ended("h1", "f1", 7, "x", "y")), Set.of());
    assertThat(decide(noted, List.of(), List.of(), GRANT))
        .as("the admission of this test has seen nothing since")
        .isEmpty();
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
                decision instanceof Decision.GrantTicket grant && grant.ticket().id().equals("t2"));
  }

  @Test
  void enqueuesWaitingCandidatesInOrderUpToTheBound() {
    List<Candidate> candidates = List.of(candidate("c3"), candidate("c1"), candidate("c2"));
    Limits two = new Limits(2, 64, 1000, Limits.DEFAULT.refreshBelow());

    List<Decision> decisions =
        GrantorPass.decide(
            new Input(table(Map.of()), candidates, List.of(), Instant.EPOCH), always(HOLD), two);

    assertThat(decisions.getLast())
        .isEqualTo(new Decision.Enqueue(List.of(candidate("c3"), candidate("c1"))));
  }

  @Test
  void batchTurnedBackComesBeforeWhoWasAcceptedSinceAndATryDoesNotPassIt() {
    LockTable table =
        table(
            Map.of(),
            ticket("t1", Mode.WAIT, 5, "h-c1", "h9"),
            ticket("t2", Mode.WAIT, 8, "h-c1"),
            ticket("t3", Mode.TRY, 9, "h-c2"));
    List<Candidate> back = List.of(aged("c2", 7), aged("c1", 6));

    List<Decision> decisions = decide(table, back, List.of(), HOLD);

    assertThat(decisions)
        .as("t1 is older; t2 and t3 are behind those who come back, who get a place of their age")
        .anyMatch(d -> waitsFor(d, "c1", "ticket t1"))
        .anyMatch(d -> waitsFor(d, "t2", "ticket t1"))
        .anyMatch(
            d ->
                d instanceof Decision.TurnAway refused
                    && refused.reason().contains("h-c2 is awaited by web, who came first"))
        .endsWith(new Decision.Enqueue(List.of(aged("c1", 6), aged("c2", 7))));
  }

  @Test
  void placeOfABatchTurnedBackIsNotBounded() {
    Limits none = new Limits(0, 64, 1000, Limits.DEFAULT.refreshBelow());

    List<Decision> decisions =
        GrantorPass.decide(
            new Input(
                table(Map.of()), List.of(aged("c1", 6), candidate("c2")), List.of(), Instant.EPOCH),
            always(HOLD),
            none);

    assertThat(decisions.getLast()).isEqualTo(new Decision.Enqueue(List.of(aged("c1", 6))));
  }

  @Test
  void grantTakesTheAgeOfTheTicketAlong() {
    Ticket place = Grants.placeOf(aged("c1", 6), 3, Instant.EPOCH.plusSeconds(900));

    assertThat(decide(table(Map.of(), place), List.of(candidate("c1")), List.of(), GRANT))
        .containsExactly(new Decision.GrantCandidate(aged("c1", 6), Optional.of(place), GRANT));
  }

  @Test
  void placeThatNobodyProposesGoesPastItsDeadlineUnlessThisGrantorMissedItTooShortly() {
    Ticket place = Grants.placeOf(candidate("c1"), 3, Instant.EPOCH.minusSeconds(1));
    Input missed = new Input(table(Map.of(), place), List.of(), List.of(), Instant.EPOCH);
    Input kept = new Input(missed.table(), List.of(), List.of(), Instant.EPOCH, Set.of("c1"));

    assertThat(GrantorPass.decide(missed, always(GRANT), Limits.DEFAULT))
        .hasExactlyElementsOfTypes(Decision.TurnAway.class);
    assertThat(GrantorPass.decide(kept, always(GRANT), Limits.DEFAULT)).isEmpty();
  }

  @Test
  void ageThatEtcdHasNotReachedIsFromBeforeARestoreAndSaysNothing() {
    Ticket waiting = ticket("t1", Mode.WAIT, 99, "h-c1");

    List<Decision> decisions =
        decide(table(Map.of(), waiting), List.of(aged("c1", 101)), List.of(), HOLD);

    assertThat(decisions).endsWith(new Decision.Enqueue(List.of(candidate("c1"))));
    assertThat(decisions).anyMatch(d -> waitsFor(d, "c1", "ticket t1"));
  }

  private static boolean waitsFor(Decision decision, String who, String whom) {
    return switch (decision) {
      case Decision.CandidateWaits(Candidate candidate, String reason) ->
          candidate.ticketId().equals(who) && reason.contains(whom);
      case Decision.TicketWaits waits ->
          waits.ticket().id().equals(who) && waits.reason().contains(whom);
      default -> false;
    };
  }

  @Test
  void checkIsJudgedOverAllOtherLocksOnly() {
    LockTable table =
        table(locks(batch("g1", "h1", Stage.PROVISIONAL), batch("g2", "h2", Stage.PROVISIONAL)));
    List<String> seen = new ArrayList<>();
    Admission.Round round =
        (hosts, applications, held) -> {
          seen.addAll(hosts);
          seen.add("|");
          held.forEach(lock -> seen.add(lock.host()));
          return GRANT;
        };

    List<Decision> decisions =
        GrantorPass.decide(
            new Input(
                table,
                List.of(),
                List.of(new Check("g1", Check.Kind.CONFIRM, 1, List.of("h1"))),
                Instant.EPOCH),
            round,
            Limits.DEFAULT);

    assertThat(seen).containsExactly("h1", "|", "h2");
    assertThat(((Decision.JudgeCheck) decisions.getFirst()).hold())
        .containsExactly(batch("g1", "h1", Stage.CONFIRMED));
  }

  @Test
  void checksOpenOnlyWhatIsConfirmedAndHeld() {
    LockTable table = table(locks(batch("g1", "h1", Stage.PROVISIONAL)));
    List<Check> checks =
        List.of(
            new Check("g1", Check.Kind.OPEN, 1, List.of("h1")),
            new Check("g7", Check.Kind.CONFIRM, 1, List.of("h1")),
            new Check("g1", Check.Kind.CONFIRM, 1, List.of("h1")),
            new Check("g1", Check.Kind.OPEN, 2, List.of("h1")));

    assertThat(decide(table, List.of(), checks, GRANT))
        .extracting(decision -> ((Decision.JudgeCheck) decision).verdict().decision())
        .containsExactly(
            Verdict.Decision.HOLD,
            Verdict.Decision.REFUSE,
            Verdict.Decision.GRANT,
            Verdict.Decision.GRANT);
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

    List<Decision> decisions = decide(braked(free), List.of(candidate("c1")), checks, GRANT);

    assertThat(decisions).noneMatch(GrantorPassTest::takes);
    assertThat(decisions)
        .hasSize(4)
        .allMatch(decision -> decision.toString().contains("frozen by ann (power failure)"));
  }

  private static boolean takes(Decision decision) {
    return decision instanceof Decision.GrantTicket
        || decision instanceof Decision.GrantCandidate
        || decision instanceof Decision.JudgeCheck judged && judged.verdict().granted();
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

  @Test
  void explainsThePlaceInTheQueue() {
    Ticket last = ticket("t3", Mode.WAIT, 7, "h1", "h2");
    LockTable table =
        table(
            locks(session("t0", "h2")),
            ticket("t1", Mode.WAIT, 5, "h1"),
            ticket("t2", Mode.WAIT, 6, "h1"),
            last);

    Queue.Place place = Queue.place(table, last, Backfill.DEFAULT);

    assertThat(place.position()).isEqualTo(3);
    assertThat(place.explanation())
        .contains("ticket t1")
        .contains("h2 is held by someone")
        .as("nothing says when t1 begins, which waits for nobody")
        .doesNotContain("reserved for it");
    assertThat(Queue.place(table, table.tickets().get(1), Backfill.DEFAULT).explanation())
        .isEqualTo("h1 is awaited by someone, who came first (ticket t1: maintenance)");
    assertThat(Queue.places(table, Backfill.DEFAULT)).containsEntry(last, place);
  }

  @Test
  void placesOfAllAreThoseOfEach() {
    Prop.check(
        "places",
        200,
        random -> {
          List<Ticket> tickets = new ArrayList<>();
          for (int i = 0; i < 12; i++) {
            List<String> hosts =
                Stream.of("h1", "h2", "h3", "h4").filter(host -> random.nextInt(3) == 0).toList();
            tickets.add(
                ticket(
                    "t" + i,
                    Mode.WAIT,
                    random.nextInt(9),
                    hosts.isEmpty() ? new String[] {"h1"} : hosts.toArray(String[]::new)));
          }
          tickets.sort(Ticket.ORDER);
          LockTable table = table(locks(session("t", "h2")), tickets.toArray(Ticket[]::new));
          Map<Ticket, Queue.Place> each = new HashMap<>();
          tickets.forEach(ticket -> each.put(ticket, Queue.place(table, ticket, Backfill.DEFAULT)));
          assertThat(Queue.places(table, Backfill.DEFAULT)).isEqualTo(each);
        });
  }

  private static List<Decision> decide(
      LockTable table, List<Candidate> candidates, List<Check> checks, Verdict verdict) {
    return GrantorPass.decide(
        new Input(table, candidates, checks, Instant.EPOCH), always(verdict), Limits.DEFAULT);
  }

  private static Admission.Round always(Verdict verdict) {
    return (Collection<String> hosts,
        Collection<String> applications,
        Collection<LockRecord> held) -> verdict;
  }

  private static LockTable table(Map<String, LockRecord> locks, Ticket... tickets) {
    Set<String> alive = List.of(tickets).stream().map(Ticket::id).collect(Collectors.toSet());
    locks.values().forEach(lock -> alive.add(lock.id()));
    return new LockTable(100, locks, List.of(tickets), Map.of(), alive);
  }

  private static Map<String, LockRecord> locks(LockRecord... locks) {
    return List.of(locks).stream().collect(Collectors.toMap(LockRecord::host, lock -> lock));
  }

  private static LockRecord session(String id, String host) {
    return Grants.foreign(ticket(id, Mode.WAIT, 1, host), Instant.EPOCH).getFirst().withToken(9);
  }

  private static LockRecord batch(String id, String host, Stage stage) {
    return Grants.batch(
            new Candidate("c", "r1", List.of(host), "web", "release 2"),
            new Candidates.Proposal(id, 1, 1))
        .getFirst()
        .withStage(stage);
  }

  private static Candidate aged(String id, long revision) {
    return candidate(id).aged(Optional.of(new Seniority(revision, 0)));
  }

  private static Candidate candidate(String id) {
    return new Candidate(id, "r1", List.of("h-" + id), "web", "release 2");
  }

  private static Ticket ticket(String id, Mode mode, long revision, String... hosts) {
    return new Ticket(
        id,
        mode,
        List.of(hosts),
        List.of(),
        "someone",
        "maintenance",
        Instant.EPOCH.plusSeconds(60),
        60,
        15,
        Optional.empty(),
        revision,
        0,
        Optional.empty());
  }
}
