package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostDecision;
import dev.drydock.api.RolloutState;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.Verdict.Decision;
import dev.drydock.orchestrator.testkit.FakeZones;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.testkit.TestDatabase;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What is told of a host later is what was kept when it was decided. */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
class HostDecisionsTest {
  private final TestDatabase database = TestDatabase.create();
  private final Fleet fleet = new Fleet(database.jdbi());
  private final HostDecisions decisions = new HostDecisions(database.jdbi());
  private final CandidateStore candidates =
      new CandidateStore(database.jdbi(), new FakeZones(), _ -> {});

  @BeforeAll
  void aRolloutOfOneHost() {
    fleet.host("h01");
    fleet.rollout("r1", "h01");
  }

  @AfterAll
  void close() {
    database.close();
  }

  private List<HostDecision> until(Instant then) {
    return decisions.until("h01", then, new PageRequest(0, 100), FieldMask.all()).elements();
  }

  private List<String> told(Instant then) {
    return until(then).stream().map(d -> d.getDecision() + " " + d.getReason()).toList();
  }

  private Instant now() {
    return Instant.parse(
        fleet.value(
            "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.USZ')"));
  }

  private static Verdict verdict(Decision decision, String reason) {
    Verdict.Finding finding =
        new Verdict.Finding("web", "maxUnavailable 1", 3, 3, 1, 2, true, "needs 2 of 3 up");
    return new Verdict(decision, reason, List.of(finding));
  }

  @Test
  void whatWasHeldGrantedTurnedBackAndRefusedIsToldOfAnyMoment() {
    Candidate wanted = new Candidate("t", "r1", List.of("h01"), "sre", "");
    candidates.waiting(Map.of(wanted, "web was taken down 5 s ago"));
    candidates.waiting(Map.of(wanted, "web was taken down 6 s ago"));
    Instant held = now();
    candidates.waiting(Map.of(wanted, "windows closed"));
    Instant closed = now();
    Proposal grant =
        candidates.propose(wanted, verdict(Decision.GRANT, "every rule allows it")).orElseThrow();
    candidates.committed(grant.grantId(), 7);
    Instant granted = now();
    fleet.workAsIf.asks(grant.grantId(), "confirm");
    candidates.checked(
        new Check(grant.grantId(), Check.Kind.CONFIRM, 1, List.of("h01")),
        verdict(Decision.WAIT, "web@h02 is down"));
    Instant turnedBack = now();
    history("Left", "t9", "grantor", "maxUnavailable 1 allows none");
    history("Granted", "g9", "grantor", "of a batch, told above");

    assertThat(told(held)).containsExactly("Waiting web was taken down 5 s ago");
    assertThat(told(closed)).startsWith("Waiting windows closed").hasSize(2);
    assertThat(told(granted)).startsWith("Granted every rule allows it").hasSize(3);
    assertThat(told(turnedBack)).startsWith("TurnedBack web@h02 is down").hasSize(4);
    assertThat(told(now())).startsWith("Refused maxUnavailable 1 allows none").hasSize(5);
    HostDecision newest = until(granted).getFirst();
    assertThat(newest.getLock()).isEqualTo(grant.grantId());
    assertThat(newest.getRollout()).isEqualTo("r1");
    assertThat(newest.getFindings())
        .singleElement()
        .satisfies(finding -> assertThat(finding.getRequired()).isEqualTo(2))
        .satisfies(finding -> assertThat(finding.getDetail()).isEqualTo("needs 2 of 3 up"));
    assertThat(decisions.until("h02", now(), new PageRequest(0, 100), FieldMask.all()).elements())
        .isEmpty();
  }

  @Test
  void aReasonThatLastsIsWrittenDownAgainAfterAWhile() {
    fleet.host("h05");
    fleet.rollout("r5", "h05");
    Candidate wanted = new Candidate("t5", "r5", List.of("h05"), "sre", "");
    candidates.waiting(Map.of(wanted, "taken down 5 s ago"));
    fleet.asIf.waitedSince("h05", 6);
    candidates.waiting(Map.of(wanted, "taken down 365 s ago"));
    assertThat(fleet.rows.waitingReasons("h05")).hasSize(2);
  }

  @Test
  void aRolloutThatIsPausedIsTheReasonOfNowAndABudgetIsNot() {
    fleet.host("h06");
    fleet.rollout("r6", "h06");
    Candidate wanted = new Candidate("t6", "r6", List.of("h06"), "sre", "");
    candidates.waiting(Map.of(wanted, "maxUnavailable 1 allows none"));
    assertThat(why("h06")).isEqualTo("Waiting maxUnavailable 1 allows none");
    fleet.asIf.paused("r6", "ann", "lunch");
    assertThat(why("h06")).isEqualTo("Waiting rollout r6 is paused by ann: lunch");
    assertThat(reason("r6")).isEqualTo("rollout r6 is paused by ann: lunch");

    fleet.asIf.rolloutIs(RolloutState.Running, "r6");
    assertThat(why("h06")).as("the control").isEqualTo("Waiting maxUnavailable 1 allows none");
    assertThat(reason("r6")).isEqualTo("maxUnavailable 1 allows none");
  }

  @Test
  void aBrakeThatWasLiftedIsNoReasonAnyMore() {
    fleet.host("h07");
    fleet.rollout("r7", "h07");
    Candidate wanted = new Candidate("t7", "r7", List.of("h07"), "sre", "");
    candidates.waiting(Map.of(wanted, "the fleet is frozen by ann (leak)"));
    assertThat(why("h07")).isEqualTo("Waiting the fleet is frozen by ann (leak)");
    brake("Frozen");
    assertThat(reason("r7")).as("the control").isEqualTo("the fleet is frozen by ann (leak)");
    brake("Unfrozen");
    assertThat(reason("r7")).isEmpty();
    assertThat(why("h07"))
        .isEqualTo("Waiting the fleet is frozen no more, unfrozen by ann; not looked at again yet");
    candidates.waiting(Map.of(wanted, "maxUnavailable 1 allows none"));
    assertThat(why("h07")).isEqualTo("Waiting maxUnavailable 1 allows none");
  }

  @Test
  void tellsWhoDidItAndNotWhoseLockItWas() {
    historyOf("h21", "Granted", "t21", "ops", "a new disk");
    assertThat(by()).isEqualTo("ops");
    historyOf("h21", "Ended", "t21", "root", "released");
    assertThat(by()).isEqualTo("root");
    historyOf("h21", "Granted", "t22", "ops", "a new disk");
    historyOf("h21", "Quarantined", "t22", "", "broken by root (HolderGone): on holiday");
    assertThat(by()).isEqualTo("root");
    historyOf("h21", "Granted", "t23", "ops", "a new disk");
    historyOf("h21", "Quarantined", "t23", "", "not seen healthy since");
    assertThat(by()).as("nobody in particular").isNull();
    historyOf("h21", "Quarantined", "q24", "", "smells of smoke");
    assertThat(by()).as("nobody had the host").isEqualTo("ops");
  }

  private @Nullable String by() {
    return decisions
        .until("h21", now(), new PageRequest(0, 1), FieldMask.all())
        .elements()
        .getFirst()
        .getBy();
  }

  private String why(String host) {
    HostDecision newest =
        decisions.until(host, now(), new PageRequest(0, 1), FieldMask.all()).elements().getFirst();
    return newest.getDecision() + " " + newest.getReason();
  }

  private String reason(String rollout) {
    return new RolloutStore(database.jdbi())
        .hosts(rollout, new PageRequest(0, 1), FieldMask.all())
        .elements()
        .getFirst()
        .getReason();
  }

  private void brake(String what) {
    fleet.execute(
        """
        INSERT INTO lock_history
          (epoch, revision, ordinal, what, lock_id, kind, hosts, holder, by, reason, token)
        SELECT 1, 1000 + count(*), 0, '%s', '', '', '{}', '', 'ann', '', 0 FROM lock_history
        """
            .formatted(what));
  }

  private void history(String what, String lock, String by, String reason) {
    historyOf("h01", what, lock, by, reason);
  }

  private void historyOf(String host, String what, String lock, String by, String reason) {
    fleet.execute(
        """
        INSERT INTO lock_history
          (epoch, revision, ordinal, what, lock_id, kind, hosts, holder, by, reason, token)
        SELECT 1, count(*), 0, '%s', '%s', '%s', ARRAY['%s'], 'ops', '%s', '%s', 1
        FROM lock_history
        """
            .formatted(what, lock, lock.startsWith("g") ? "Batch" : "Session", host, by, reason));
  }
}
