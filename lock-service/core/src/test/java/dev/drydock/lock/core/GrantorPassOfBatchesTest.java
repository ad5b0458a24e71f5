package dev.drydock.lock.core;

import static dev.drydock.lock.core.Samples.GRANT;
import static dev.drydock.lock.core.Samples.WAIT;
import static dev.drydock.lock.core.Samples.aged;
import static dev.drydock.lock.core.Samples.always;
import static dev.drydock.lock.core.Samples.batch;
import static dev.drydock.lock.core.Samples.candidate;
import static dev.drydock.lock.core.Samples.decide;
import static dev.drydock.lock.core.Samples.locks;
import static dev.drydock.lock.core.Samples.table;
import static dev.drydock.lock.core.Samples.ticket;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.GrantorPass.Input;
import dev.drydock.lock.core.GrantorPass.Limits;
import dev.drydock.lock.core.GrantorPass.Witnessed;
import dev.drydock.lock.core.LockRecord.Stage;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Candidates, their places in the queue, and checks of what they hold. */
class GrantorPassOfBatchesTest {
  @Test
  void enqueuesWaitingCandidatesInOrderUpToTheBound() {
    List<Candidate> candidates = List.of(candidate("c3"), candidate("c1"), candidate("c2"));
    Limits two = new Limits(2, 64, 1000, Limits.DEFAULT.refreshBelow());

    List<GrantorDecision> decisions =
        GrantorPass.decide(
            new Input(table(Map.of()), candidates, List.of(), Instant.EPOCH), always(WAIT), two);

    assertThat(decisions.getLast())
        .isEqualTo(new GrantorDecision.Enqueue(List.of(candidate("c3"), candidate("c1"))));
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

    List<GrantorDecision> decisions = decide(table, back, List.of(), WAIT);

    assertThat(decisions)
        .as("t1 is older; t2 and t3 are behind those who come back, who get a place of their age")
        .anyMatch(d -> waitsFor(d, "c1", "ticket t1"))
        .anyMatch(d -> waitsFor(d, "t2", "ticket t1"))
        .anyMatch(
            d ->
                d instanceof GrantorDecision.TurnAway refused
                    && refused.reason().contains("h-c2 is awaited by web, who came first"))
        .endsWith(new GrantorDecision.Enqueue(List.of(aged("c1", 6), aged("c2", 7))));
  }

  @Test
  void placeOfABatchTurnedBackIsNotBounded() {
    Limits none = new Limits(0, 64, 1000, Limits.DEFAULT.refreshBelow());

    List<GrantorDecision> decisions =
        GrantorPass.decide(
            new Input(
                table(Map.of()), List.of(aged("c1", 6), candidate("c2")), List.of(), Instant.EPOCH),
            always(WAIT),
            none);

    assertThat(decisions.getLast()).isEqualTo(new GrantorDecision.Enqueue(List.of(aged("c1", 6))));
  }

  @Test
  void grantTakesTheAgeOfTheTicketAlong() {
    Ticket place = Grants.placeOf(aged("c1", 6), 3, Instant.EPOCH.plusSeconds(900));

    assertThat(decide(table(Map.of(), place), List.of(candidate("c1")), List.of(), GRANT))
        .containsExactly(
            new GrantorDecision.GrantCandidate(aged("c1", 6), Optional.of(place), GRANT));
  }

  @Test
  void placeThatNobodyProposesGoesPastItsDeadlineUnlessThisGrantorMissedItTooShortly() {
    Ticket place = Grants.placeOf(candidate("c1"), 3, Instant.EPOCH.minusSeconds(1));
    Input missed = new Input(table(Map.of(), place), List.of(), List.of(), Instant.EPOCH);
    Witnessed witnessed = new Witnessed(Set.of("c1"), Set.of());
    Input kept = new Input(missed.table(), List.of(), List.of(), Instant.EPOCH, witnessed);

    assertThat(GrantorPass.decide(missed, always(GRANT), Limits.DEFAULT))
        .hasExactlyElementsOfTypes(GrantorDecision.TurnAway.class);
    assertThat(GrantorPass.decide(kept, always(GRANT), Limits.DEFAULT)).isEmpty();
  }

  @Test
  void abandonedPlaceGoesAtOnceAndOneThatIsOnlyNotProposedStays() {
    Ticket gone = Grants.placeOf(candidate("c1"), 3, Instant.EPOCH.plusSeconds(900));
    Ticket paused = Grants.placeOf(candidate("c2"), 4, Instant.EPOCH.plusSeconds(900));
    LockTable table = table(Map.of(), gone, paused);

    assertThat(decideAbandoned(table, List.of(), Set.of("c1")))
        .containsExactly(
            new GrantorDecision.TurnAway(gone, "its rollout no longer wants the hosts"));
    assertThat(decideAbandoned(table, List.of(), Set.of()))
        .as("control: when nobody says so it stays")
        .isEmpty();
  }

  @Test
  void abandonedPlaceGoesAlsoIfItWasMissedTooShortly() {
    Ticket gone = Grants.placeOf(candidate("c1"), 3, Instant.EPOCH.minusSeconds(1));
    LockTable table = table(Map.of(), gone);
    Witnessed kept = new Witnessed(Set.of("c1"), Set.of());

    assertThat(
            GrantorPass.decide(
                new Input(table, List.of(), List.of(), Instant.EPOCH, kept, Set.of("c1")),
                always(GRANT),
                Limits.DEFAULT))
        .hasExactlyElementsOfTypes(GrantorDecision.TurnAway.class);
  }

  /** It ended between the two questions; its rollout refuses the proposal. */
  @Test
  void whoIsProposedIsJudgedWhateverElseIsSaid() {
    Ticket place = Grants.placeOf(candidate("c1"), 3, Instant.EPOCH.plusSeconds(900));

    assertThat(decideAbandoned(table(Map.of(), place), List.of(candidate("c1")), Set.of("c1")))
        .hasExactlyElementsOfTypes(GrantorDecision.GrantCandidate.class);
  }

  private static List<GrantorDecision> decideAbandoned(
      LockTable table, List<Candidate> candidates, Set<String> abandoned) {
    return GrantorPass.decide(
        new Input(table, candidates, List.of(), Instant.EPOCH, Witnessed.NOTHING, abandoned),
        always(GRANT),
        Limits.DEFAULT);
  }

  @Test
  void ageThatEtcdHasNotReachedIsFromBeforeARestoreAndSaysNothing() {
    Ticket waiting = ticket("t1", Mode.WAIT, 99, "h-c1");

    List<GrantorDecision> decisions =
        decide(table(Map.of(), waiting), List.of(aged("c1", 101)), List.of(), WAIT);

    assertThat(decisions).endsWith(new GrantorDecision.Enqueue(List.of(candidate("c1"))));
    assertThat(decisions).anyMatch(d -> waitsFor(d, "c1", "ticket t1"));
  }

  private static boolean waitsFor(GrantorDecision decision, String who, String whom) {
    return switch (decision) {
      case GrantorDecision.CandidateWaits(Candidate candidate, String reason) ->
          candidate.ticketId().equals(who) && reason.contains(whom);
      case GrantorDecision.TicketWaits waits ->
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

    List<GrantorDecision> decisions =
        GrantorPass.decide(
            new Input(
                table,
                List.of(),
                List.of(new Check("g1", Check.Kind.CONFIRM, 1, List.of("h1"))),
                Instant.EPOCH),
            round,
            Limits.DEFAULT);

    assertThat(seen).containsExactly("h1", "|", "h2");
    assertThat(((GrantorDecision.JudgeCheck) decisions.getFirst()).hold())
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
        .extracting(decision -> ((GrantorDecision.JudgeCheck) decision).verdict().decision())
        .containsExactly(
            Verdict.Decision.WAIT,
            Verdict.Decision.REFUSE,
            Verdict.Decision.GRANT,
            Verdict.Decision.GRANT);
  }
}
