package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.store.RolloutCourse;
import dev.drydock.orchestrator.testkit.Fleet;
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
    fleet.execute("UPDATE host_upgrades SET batch = 0 WHERE host = 'h02'");
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
    assertThat(fleet.value("SELECT stage FROM grants")).isEqualTo("open");
  }

  @Test
  void confirmHoldsABatchWhoseZoneGrewAndItsRolloutsBatchesAreMadeAnew() {
    confirmAfterTheMove();
    assertThat(check("confirm"))
        .isEqualTo(
            "Hold: instances moved since the batch was made: all or none, it would have to take"
                + " h03 (zone za of web) too");
    assertThat(fleet.value("SELECT stage FROM grants")).isEqualTo("provisional");

    turnBack();
    assertThat(fleet.candidates.pending(List.of(), 10))
        .as("the new batch backs off as its first hosts do")
        .extracting(Candidate::hosts)
        .containsExactly(List.of("h04"));
    fleet.execute("UPDATE host_upgrades SET not_before = NULL");
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
    assertThat(fleet.value("SELECT DISTINCT reason FROM host_upgrades WHERE state = 'Cancelled'"))
        .isEqualTo(
            "instances moved, and its fault zones join 3 hosts now, all or none: one grant takes at"
                + " most 2; spread them over more zones, or let the policy take fewer together,"
                + " then submit them again");
    fleet.execute("UPDATE host_upgrades SET not_before = NULL");
    assertThat(fleet.candidates.pending(List.of(), 10))
        .extracting(Candidate::hosts)
        .containsExactly(List.of("h04"));
    fleet.execute("UPDATE host_upgrades SET state = 'Upgraded' WHERE host = 'h04'");
    assertThat(new RolloutCourse(database.jdbi()).advance("r1")).isTrue();
    assertThat(fleet.value("SELECT state FROM rollouts")).isEqualTo("Degraded");
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
    fleet.execute(
        """
        INSERT INTO canary_gates (rollout, policy, version, applications, hosts, soak_seconds)
        VALUES ('r1', 'web', 1, '{web}', '{h01}', 0)
        """);
    fleet.execute(
        "UPDATE host_upgrades SET waits_for = '{web,halt:web/old}' WHERE host IN ('h03', 'h04')");
    confirmAfterTheMove();
    turnBack();
    assertThat(waits("h03")).isEqualTo("{halt:web/old}");
    assertThat(waits("h04")).as("the control").isEqualTo("{web,halt:web/old}");
  }

  @Test
  void whoComesBackToAHaltedCohortWaitsWithIt() {
    fleet.execute("UPDATE hosts SET hardware_class = 'bad' WHERE name = 'h02'");
    fleet.execute(
        """
        INSERT INTO cohort_halts (rollout, policy, hardware_class, application, says)
        VALUES ('r1', 'web', 'bad', 'web', 'halted')
        """);
    confirmAfterTheMove();
    turnBack();
    assertThat(waits("h02")).isEqualTo("{halt:web/bad/web}");
    assertThat(waits("h01")).as("the control").isEqualTo("{}");
  }

  private String waits(String host) {
    return fleet.value("SELECT waits_for FROM host_upgrades WHERE host = '%s'".formatted(host));
  }

  private String states() {
    return fleet.value(
        "SELECT string_agg(host || ' ' || state, ', ' ORDER BY host) FROM host_upgrades");
  }

  @Test
  void openHoldsItAsWell() {
    confirm();
    zone("za", "h03");
    fleet.opened(grant);
    assertThat(check("open")).startsWith("Hold").contains("h03 (zone za of web)");
    assertThat(fleet.value("SELECT opened_at IS NULL FROM grants")).isEqualTo("t");
  }

  @Test
  void hostsThatAreDoneOrOfNoRolloutOrThisOneDoNotGrowIt() {
    fleet.host("h05");
    zone("za", "h05");
    zone("za", "h03");
    fleet.execute("UPDATE host_upgrades SET state = 'Upgraded' WHERE host = 'h03'");
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
    fleet.done(grant, "Freeze");
    fleet.drive(grant);
    fleet.decide(grant, Fleet.GRANT);
  }

  private void turnBack() {
    fleet.zones.together(Set.of("web"), List.of(List.of("h01", "h02", "h03")));
    fleet.drive(grant);
    fleet.done(grant, "Unfreeze");
    assertThat(fleet.drive(grant).ended()).isTrue();
    assertThat(fleet.value("SELECT end_state FROM grants")).isEqualTo("Held");
  }

  private void zone(String zone, String host) {
    fleet.execute("UPDATE instances SET zone = '%s' WHERE host = '%s'".formatted(zone, host));
  }

  private String check(String kind) {
    return fleet.value(
        "SELECT state || ': ' || (evidence->>'reason') FROM checks WHERE kind = '" + kind + "'");
  }
}
