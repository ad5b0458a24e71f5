package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.RolloutState;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.store.RolloutLifecycle;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.OutcomeRows;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Instances move between the grant of an all-or-none batch and its checks (protocol P7). */
@Tag("stack")
class ZoneClosureTest {
  private TestDatabase database;
  private Fleet fleet;
  private String grant = "";

  /** h01 and h02 share the zone za, h03 has zb, h04 zc; the batch of za is granted. */
  @BeforeEach
  void aZoneIsGranted() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    for (String host : List.of("h01", "h02", "h03", "h04")) {
      fleet.host(host);
    }
    fleet.rollout("r1", "h01", "h02", "h03", "h04");
    fleet.asIf.together(0, "h02");
    zone("za", "h01");
    zone("za", "h02");
    zone("zb", "h03");
    zone("zc", "h04");
    fleet.zones.together(Set.of("web"), List.of(List.of("h01", "h02")));
    grant = fleet.grant("r1", "h01", "h02");
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void aBatchThatIsAllOfItsZonesPassesItsChecks() {
    confirm();
    assertThat(check("confirm")).startsWith("Grant");
    fleet.opened(grant);
    assertThat(check("open")).startsWith("Grant");
    assertThat(fleet.rows.batch(grant).stage()).isEqualTo("open");
  }

  @Test
  void confirmHoldsABatchWhoseZoneGrewAndItsRolloutsBatchesAreMadeAnew() {
    confirmAfterTheMove();
    assertThat(check("confirm"))
        .isEqualTo(
            "Wait: instances moved since the batch was made: all or none, it would have to take"
                + " h03 (zone za of web) too");
    assertThat(fleet.rows.batch(grant).stage()).isEqualTo("provisional");

    turnBack();
    assertThat(fleet.candidates.pending(List.of(), 10))
        .as("the new batch backs off as its first hosts do")
        .extracting(Candidate::hosts)
        .containsExactly(List.of("h04"));
    fleet.asIf.backOffOver();
    assertThat(fleet.candidates.pending(List.of(), 10))
        .extracting(Candidate::hosts)
        .containsExactly(List.of("h01", "h02", "h03"), List.of("h04"));
    assertThat(
            fleet.candidates.propose(
                new Candidate("r1.h03", "r1", List.of("h03"), "sre", "test"), Fleet.GRANT))
        .as("a batch of before is proposed no more")
        .isEmpty();
  }

  @Test
  @Shows(of = HostUpgradeState.class, states = "Pending", exit = Exit.FAILURE, end = "Cancelled")
  void aBatchThatGrewBeyondWhatOneGrantTakesIsCancelledAndTheRolloutGoesOn() {
    fleet.zones.most(2);
    confirmAfterTheMove();
    turnBack();
    assertThat(states()).isEqualTo("h01 Cancelled, h02 Cancelled, h03 Cancelled, h04 Pending");
    assertThat(List.of("h01", "h02", "h03"))
        .extracting(host -> fleet.rows.host(host).reason())
        .containsOnly(
            "instances moved, and its fault zones join 3 hosts now, all or none: one grant takes at"
                + " most 2; spread them over more zones, or let the policy take fewer together,"
                + " then submit them again");
    fleet.asIf.backOffOver();
    assertThat(fleet.candidates.pending(List.of(), 10))
        .extracting(Candidate::hosts)
        .containsExactly(List.of("h04"));
    fleet.asIf.are(HostUpgradeState.Upgraded, "h04");
    assertThat(new RolloutLifecycle(database.jdbi()).advance("r1")).isTrue();
    assertThat(fleet.rows.rollout("r1").state()).isEqualTo(RolloutState.Degraded);
  }

  /** With room for one more host in a grant it is the limit that cancels. */
  @Test
  void aBatchThatGrewToWhatOneGrantTakesWaitsOn() {
    fleet.zones.most(3);
    confirmAfterTheMove();
    turnBack();
    assertThat(states()).isEqualTo("h01 Pending, h02 Pending, h03 Pending, h04 Pending");
  }

  /** h03 was no canary and of a halted class; now it goes with h01, which is one. */
  @Test
  void whoNowGoesWithACanaryWaitsForNoneButForItsHaltedCohort() {
    fleet.asIf.canary("r1", "h01");
    fleet.asIf.waitFor(List.of("web", "halt:web/old"), "h03", "h04");
    confirmAfterTheMove();
    turnBack();
    assertThat(waits("h03")).containsExactly("halt:web/old");
    assertThat(waits("h04")).as("the control").containsExactly("web", "halt:web/old");
  }

  @Test
  void whoComesBackToAHaltedCohortWaitsWithIt() {
    fleet.execute("UPDATE hosts SET hardware_class = 'bad' WHERE name = 'h02'");
    fleet.asIf.halted("r1", "bad");
    confirmAfterTheMove();
    turnBack();
    assertThat(waits("h02")).containsExactly("halt:web/bad/web");
    assertThat(waits("h01")).as("the control").isEmpty();
  }

  private List<String> waits(String host) {
    return fleet.rows.host(host).waitsFor();
  }

  private String states() {
    return new OutcomeRows(fleet).hosts();
  }

  @Test
  void openHoldsItAsWell() {
    confirm();
    zone("za", "h03");
    fleet.opened(grant);
    assertThat(check("open")).startsWith("Wait").contains("h03 (zone za of web)");
    assertThat(fleet.rows.batch(grant).openedAt()).isEmpty();
  }

  @Test
  void hostsThatAreDoneOrOfNoRolloutOrThisOneDoNotGrowIt() {
    fleet.host("h05");
    zone("za", "h05");
    zone("za", "h03");
    fleet.asIf.are(HostUpgradeState.Upgraded, "h03");
    confirm();
    assertThat(check("confirm")).startsWith("Grant");
  }

  /** The same move where no policy takes zones together: it is the look at zones that holds. */
  @Test
  void control() {
    fleet.zones.together(Set.of(), List.of());
    confirmAfterTheMove();
    assertThat(check("confirm")).startsWith("Grant");
  }

  private void confirmAfterTheMove() {
    zone("za", "h03");
    confirm();
  }

  private void confirm() {
    fleet.drive(grant);
    fleet.done(grant, "Cordon");
    fleet.drive(grant);
    fleet.decide(grant, Fleet.GRANT);
  }

  private void turnBack() {
    fleet.zones.together(Set.of("web"), List.of(List.of("h01", "h02", "h03")));
    fleet.drive(grant);
    fleet.done(grant, "Uncordon");
    assertThat(fleet.drive(grant).ended()).isTrue();
    assertThat(fleet.rows.batch(grant).end()).isEqualTo("Requeued");
  }

  private void zone(String zone, String host) {
    fleet.execute("UPDATE instances SET zone = '%s' WHERE host = '%s'".formatted(zone, host));
  }

  private String check(String kind) {
    Row.Check check = fleet.rows.checks(kind).getFirst();
    return check.state() + ": " + check.reason();
  }
}
