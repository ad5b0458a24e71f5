package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostDecision;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.Verdict.Decision;
import dev.drydock.orchestrator.testkit.FakeZones;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.platform.store.Fields;
import dev.drydock.platform.store.Window;
import dev.drydock.platform.testkit.TestDatabase;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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
    return decisions.until("h01", then, new Window(0, 100), Fields.all()).elements();
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
        verdict(Decision.HOLD, "web@h02 is down"));
    Instant turnedBack = now();
    history("Left", "t9", "grantor", "maxUnavailable 1 allows none");
    history("Granted", "g9", "grantor", "of a batch, told above");

    assertThat(told(held)).containsExactly("Held web was taken down 5 s ago");
    assertThat(told(closed)).startsWith("Held windows closed").hasSize(2);
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
    assertThat(decisions.until("h02", now(), new Window(0, 100), Fields.all()).elements())
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

  private void history(String what, String lock, String by, String reason) {
    fleet.execute(
        """
        INSERT INTO lock_history
          (epoch, revision, ordinal, what, lock_id, kind, hosts, holder, by, reason, token)
        SELECT 1, count(*), 0, '%s', '%s', '%s', ARRAY['h01'], 'ops', '%s', '%s', 1
        FROM lock_history
        """
            .formatted(what, lock, lock.startsWith("g") ? "Batch" : "Session", by, reason));
  }
}
