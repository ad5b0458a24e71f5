package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.RolloutState;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.GrantorPass.Input;
import dev.drydock.lock.core.Holds.Proposed;
import dev.drydock.lock.core.Holds.Settled;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Seniority;
import dev.drydock.orchestrator.testkit.BatchSteps;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a grant leaves in PostgreSQL at each point where the process may die. */
@Tag("stack")
class CandidateStoreTest {
  private TestDatabase database;
  private Fleet fleet;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    for (String host : List.of("h01", "h02", "h03")) {
      fleet.host(host);
    }
    fleet.rollout("r1", "h02", "h01", "h03");
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void offersPendingHostsInSubmissionOrder() {
    assertThat(hosts(fleet.candidates.pending(List.of(), 10))).containsExactly("h02", "h01", "h03");
    assertThat(hosts(fleet.candidates.pending(List.of(), 2))).containsExactly("h02", "h01");
  }

  @Test
  void offersHostsOfABatchTogetherOrNotAtAll() {
    fleet.asIf.together(7, "h01", "h02");
    assertThat(fleet.candidates.pending(List.of(), 10))
        .extracting(Candidate::ticketId, Candidate::hosts)
        .containsExactly(tuple("r1.h03", List.of("h03")), tuple("r1.h02+1", List.of("h02", "h01")));

    fleet.asIf.backOff("h02");
    assertThat(hosts(fleet.candidates.pending(List.of(), 10)))
        .as("one backs off")
        .containsExactly("h03");

    fleet.asIf.are(HostUpgradeState.InProgress, "h02");
    assertThat(hosts(fleet.candidates.pending(List.of(), 10)))
        .as("one is under way")
        .containsExactly("h03");

    fleet.asIf.are(HostUpgradeState.Upgraded, "h02");
    assertThat(hosts(fleet.candidates.pending(List.of(), 10)))
        .as("what is left")
        .containsExactly("h03", "h01");
  }

  @Test
  void offersHostsOfAHigherPriorityFirstButNeverBeforeOneThatHasAnAge() {
    fleet.asIf.priority("Low");
    heldAt(42, Optional.empty());
    backOffOver();
    for (String name : List.of("low", "normal", "high")) {
      fleet.host(name);
      fleet.rollout("r-" + name, name);
    }
    fleet.asIf.priority("High", "r-high");
    fleet.asIf.priority("Low", "r-low");
    assertThat(hosts(fleet.candidates.pending(List.of(), 10)))
        .containsExactly("h01", "high", "normal", "h02", "low", "h03");
    fleet.asIf.priority("Normal");
    assertThat(hosts(fleet.candidates.pending(List.of(), 10)))
        .as("control: without priorities")
        .containsExactly("h01", "h02", "low", "normal", "high", "h03");
  }

  @Test
  void rolloutsTakeTurnsByTheirHostsInFlightSoThatALargeOneLeavesRoomForASmallOne() {
    for (String host : List.of("s1", "s2")) {
      fleet.host(host);
    }
    fleet.rollout("small", "s1", "s2");
    assertThat(hosts(fleet.candidates.pending(List.of(), 3))).containsExactly("h02", "s1", "h01");
    fleet.grant("r1", "h02");
    fleet.grant("r1", "h01");
    assertThat(hosts(fleet.candidates.pending(List.of(), 10)))
        .as("two of the large one are in flight")
        .containsExactly("s1", "s2", "h03");
    fleet.asIf.are(HostUpgradeState.Upgraded, "h02", "h01");
    assertThat(hosts(fleet.candidates.pending(List.of(), 10)))
        .as("control: what is done counts no more")
        .containsExactly("h03", "s1", "s2");
  }

  /** A team's gate is closed, and its hosts come first: they filled every look of the grantor. */
  @Test
  void whoStandsBehindMoreThanOneLookOfOthersThatCannotGoIsGrantedAllTheSame() {
    large(600);
    assertThat(grants("b600", 3)).containsExactly("b600");
  }

  /** Who is granted in some passes of a grantor when only this host may go. */
  private List<String> grants(String host, int passes) {
    LockTable nobody = new LockTable(0, Map.of(), List.of(), Map.of(), Set.of());
    Admission.Round only = (hosts, _, _) -> hosts.contains(host) ? Fleet.GRANT : Fleet.WAIT;
    List<String> queued = new ArrayList<>();
    List<String> granted = new ArrayList<>();
    for (int pass = 0; pass < passes; pass++) {
      List<Candidate> candidates = fleet.candidates.pending(queued, 500);
      Input input = new Input(nobody, candidates, List.of(), Instant.EPOCH);
      for (GrantorDecision decision : GrantorPass.decide(input, only, GrantorPass.Limits.DEFAULT)) {
        if (decision instanceof GrantorDecision.GrantCandidate grant) {
          granted.addAll(grant.candidate().hosts());
          fleet.grant("large", host);
        } else if (decision instanceof GrantorDecision.Enqueue(List<Candidate> waiting)) {
          waiting.forEach(candidate -> queued.add(candidate.ticketId()));
        }
      }
    }
    return granted;
  }

  @Test
  void everybodyIsOfferedWithinAsManyLooksAsItTakesToGoThroughAll() {
    large(60);
    Set<String> seen = new HashSet<>();
    for (int look = 0; look < 12; look++) {
      // Who comes and goes meanwhile moves nobody out of sight.
      fleet.asIf.are(HostUpgradeState.Upgraded, "b" + look);
      List<String> offered = offered(List.of(), 10);
      assertThat(offered).hasSize(10);
      seen.addAll(offered);
    }
    assertThat(seen)
        .contains(IntStream.rangeClosed(12, 60).mapToObj(n -> "b" + n).toArray(String[]::new));
  }

  @Test
  void everybodyIsOfferedOnceTheyHaveBecomeTooManyForOneLook() {
    large(60);
    assertThat(offered(List.of(), 100)).as("all fit").hasSize(60);
    Set<String> seen = new HashSet<>();
    for (int look = 0; look < 13; look++) {
      seen.addAll(offered(List.of(), 10));
    }
    assertThat(seen).hasSize(60);
  }

  @Test
  void whoHasAnAgeOrAPlaceIsOfferedEachTimeAndTakesNobodysRoom() {
    large(60);
    fleet.asIf.aged(4, "b20", "b21", "b22", "b23", "b24");
    for (int look = 0; look < 30; look++) {
      assertThat(offered(List.of("large.b59", "foreign"), 4))
          .hasSize(4 + 5 + 1)
          .startsWith("b20", "b21", "b22", "b23", "b24")
          .contains("b59");
    }
  }

  /** A rollout of its own whose hosts are b1, b2 and so on; that of the other tests has ended. */
  private void large(int hosts) {
    fleet.asIf.rolloutIs(RolloutState.Degraded);
    fleet.rollout("large");
    fleet.crowd("large", "b", 1, hosts, 1);
  }

  private List<String> offered(List<String> queued, int limit) {
    return hosts(fleet.candidates.pending(queued, limit));
  }

  @Test
  void aCandidateIsNotProposedOnceItsBatchWasMadeAnew() {
    Candidate before = fleet.candidates.pending(List.of(), 1).getFirst();
    fleet.asIf.together(7, "h01", "h02");
    assertThat(fleet.candidates.propose(before, Fleet.GRANT)).isEmpty();
    assertThat(
            fleet.candidates.propose(fleet.candidates.pending(List.of(), 2).getLast(), Fleet.GRANT))
        .isPresent();
  }

  @Test
  void offersNoHostThatBacksOffOrIsProposedOrIsPartOfAnEndedRollout() {
    fleet.asIf.backOff("h02");
    propose("h01");
    assertThat(hosts(fleet.candidates.pending(List.of(), 10))).containsExactly("h03");
    fleet.asIf.rolloutIs(RolloutState.Degraded);
    assertThat(fleet.candidates.pending(List.of(), 10)).isEmpty();
  }

  @Test
  void isIdleOnlyWhileNoRolloutRuns() {
    assertThat(fleet.candidates.idle()).isFalse();
    fleet.asIf.backOff();
    assertThat(fleet.candidates.idle()).as("all back off, which ends by itself").isFalse();
    fleet.asIf.rolloutIs(RolloutState.Paused);
    assertThat(fleet.candidates.idle()).as("they come back with their age").isFalse();
    fleet.asIf.rolloutIs(RolloutState.Scheduled);
    assertThat(fleet.candidates.idle()).as("nobody has a place yet").isTrue();
    fleet.asIf.rolloutIs(RolloutState.Degraded);
    assertThat(fleet.candidates.idle()).isTrue();
    fleet.host("h04");
    fleet.rollout("r2", "h04");
    assertThat(fleet.candidates.idle()).isFalse();
  }

  @Test
  void proposesAHostOnlyOnce() {
    Proposal first = propose("h01").orElseThrow();
    assertThat(propose("h01")).isEmpty();
    assertThat(fleet.rows.batch(first.grantId()).state()).isEqualTo("proposed");
    assertThat(fleet.rows.host("h01").state())
        .as("in progress only once the hold is known to stand")
        .isEqualTo(HostUpgradeState.Pending);
  }

  @Test
  void takesARisingBeatWithEachGrant() {
    long first = propose("h01").orElseThrow().beat();
    assertThat(propose("h02").orElseThrow().beat()).isGreaterThan(first);
  }

  @Test
  void oneOfTwoProposersWins() throws Exception {
    for (int round = 0; round < 20; round++) {
      String host = "race" + round;
      fleet.host(host);
      fleet.rollout("r-" + host, host);
      var one = CompletableFuture.supplyAsync(() -> proposed("r-" + host, host));
      var other = CompletableFuture.supplyAsync(() -> proposed("r-" + host, host));
      assertThat(one.get().isPresent() ^ other.get().isPresent()).isTrue();
    }
  }

  @Test
  void aCommittedGrantStartsItsHosts() {
    String grant = propose("h01").orElseThrow().grantId();
    fleet.candidates.committed(grant, 42);
    fleet.candidates.committed(grant, 42);
    assertThat(fleet.rows.batch(grant).state()).isEqualTo("granted");
    assertThat(fleet.rows.batch(grant).holdRevision()).isEqualTo("42");
    assertThat(fleet.rows.host("h01").state()).isEqualTo(HostUpgradeState.InProgress);
    assertThat(fleet.rows.told("BatchGranted")).hasSize(1);
  }

  @Test
  void aVoidGrantLeavesItsHostsPending() {
    String grant = propose("h01").orElseThrow().grantId();
    fleet.candidates.voided(grant, "lost the race");
    fleet.candidates.voided(grant, "lost the race");
    assertThat(hosts(fleet.candidates.pending(List.of(), 10))).contains("h01");
    assertThat(propose("h01")).isPresent();
  }

  @Test
  void neverBelievesBothStores() {
    String voided = propose("h01").orElseThrow().grantId();
    fleet.candidates.voided(voided, "lost the race");
    assertThatThrownBy(() -> fleet.candidates.committed(voided, 7))
        .isInstanceOf(IllegalStateException.class);
    String committed = propose("h02").orElseThrow().grantId();
    fleet.candidates.committed(committed, 8);
    assertThatThrownBy(() -> fleet.candidates.voided(committed, "lost the race"))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aHeldHostKeepsTheAgeOfItsFirstTurnAndComesFirstOnceItsBackOffIsOver() {
    heldAt(42, Optional.empty());
    assertThat(hosts(fleet.candidates.pending(List.of(), 10)))
        .as("backing off")
        .doesNotContain("h01");
    backOffOver();
    Candidate back = fleet.candidates.pending(List.of(), 10).getFirst();
    assertThat(back.hosts()).containsExactly("h01");
    assertThat(back.seniority()).contains(new Seniority(42, 0));

    heldAt(77, back.seniority());
    backOffOver();
    assertThat(fleet.candidates.pending(List.of(), 10).getFirst()).as("held twice").isEqualTo(back);
  }

  @Test
  void ageOfAGrantIsThatOfItsTicketAndAVoidOneTakesNothingAway() {
    Optional<Seniority> ticket = Optional.of(new Seniority(17, 3));
    String grant = proposed("r1", "h01", ticket).orElseThrow().grantId();
    fleet.candidates.voided(grant, "lost the race");
    assertThat(fleet.candidates.pending(List.of(), 10))
        .as("its ticket still stands in etcd")
        .allMatch(candidate -> candidate.seniority().isEmpty());

    heldAt(42, ticket);
    backOffOver();
    String again = proposed("r1", "h01", ticket).orElseThrow().grantId();
    fleet.candidates.voided(again, "lost the race");
    assertThat(fleet.candidates.pending(List.of(), 10).getFirst().seniority()).isEqualTo(ticket);
  }

  /** A grant of h01 that is recorded, turned back by its first check and ended. */
  private void heldAt(long revision, Optional<Seniority> age) {
    String grant = proposed("r1", "h01", age).orElseThrow().grantId();
    fleet.candidates.committed(grant, revision);
    new BatchSteps(fleet).held(grant);
    assertThat(fleet.rows.batch(grant).end()).isEqualTo("Requeued");
  }

  private void backOffOver() {
    fleet.asIf.backOffOver();
  }

  /**
   * The grantor pauses before its etcd transaction, the sweeper undoes the row, the grantor goes on
   * (protocol P5).
   */
  @Test
  void ofSweeperAndGrantorExactlyOneWins() throws Exception {
    for (int round = 0; round < 20; round++) {
      String host = "settle" + round;
      fleet.host(host);
      fleet.rollout("r-" + host, host);
      String grant = proposed("r-" + host, host).orElseThrow().grantId();
      var grantor =
          CompletableFuture.runAsync(
              () -> fleet.candidates.committed(grant, fleet.holds.commit(grant, List.of(host))));
      var sweeper = CompletableFuture.runAsync(() -> settle(grant));
      sweeper.get();
      grantor.exceptionally(fenced -> null).get();
      boolean held = !fleet.holds.find(grant).isEmpty();
      assertThat(fleet.rows.batch(grant).state()).isEqualTo(held ? "granted" : "void");
      assertThat(fleet.rows.host(host).state())
          .isEqualTo(held ? HostUpgradeState.InProgress : HostUpgradeState.Pending);
    }
  }

  private void settle(String grant) {
    switch (fleet.holds.voidGrant(new Proposed(grant, List.of(), 0), "proposed for too long")) {
      case Settled.Committed(long revision) -> fleet.candidates.committed(grant, revision);
      case Settled.Voided() -> fleet.candidates.voided(grant, "proposed for too long");
    }
  }

  private Optional<Proposal> propose(String host) {
    return proposed("r1", host);
  }

  private Optional<Proposal> proposed(String rollout, String host) {
    return proposed(rollout, host, Optional.empty());
  }

  private Optional<Proposal> proposed(String rollout, String host, Optional<Seniority> age) {
    return fleet.candidates.propose(
        new Candidate(rollout + "." + host, rollout, List.of(host), "sre", "test", age),
        Fleet.GRANT);
  }

  private static List<String> hosts(List<Candidate> candidates) {
    return candidates.stream().flatMap(candidate -> candidate.hosts().stream()).toList();
  }
}
