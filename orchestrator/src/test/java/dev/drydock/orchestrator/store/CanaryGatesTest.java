package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.orchestrator.store.CanaryGates.Gate;
import dev.drydock.orchestrator.store.CanaryGates.Watch;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rest of a rollout waits for its canaries, by rows and the clock of the database alone. */
@Tag("stack")
class CanaryGatesTest {
  private static final Watch ALL_UP = (hosts, applications) -> Map.of();

  private TestDatabase database;
  private Fleet fleet;

  @BeforeEach
  void twoCanariesAndTwoThatWait() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    for (String host : List.of("h01", "h02", "h03", "h04", "h05")) {
      fleet.host(host);
    }
    fleet.rollout("r1", "h01", "h02", "h03", "h04", "h05");
    gates(new Gate("web", 3, Set.of("web"), 1800, List.of("h01", "h02"), Set.of("h03", "h04")));
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void onlyCanariesAndHostsWithoutSuchAPolicyAreCandidatesAtFirst() {
    assertThat(offered()).containsExactlyInAnyOrder("h01", "h02", "h05");
    assertThat(fleet.candidates.propose(candidate("h03"), Fleet.GRANT))
        .as("nor is one proposed that was read before")
        .isEmpty();
    assertThat(reason("h03"))
        .isEqualTo("waits for canaries h01, h02 (policy web version 3): not done yet: h01, h02");
    assertThat(reason("h01")).isEmpty();
  }

  /** Without what keeps them waiting everybody is a candidate: it is this that the tests see. */
  @Test
  void control() {
    fleet.asIf.waitFor(List.of());
    assertThat(offered()).contains("h03", "h04");
  }

  @Test
  void theRestBeginsOnceAllCanariesAreDoneAndHaveSoaked() {
    done("h01", HostUpgradeState.Upgraded);
    advance(ALL_UP);
    assertThat(reason("h04")).endsWith("not done yet: h02");
    done("h02", HostUpgradeState.Skipped);
    advance(ALL_UP);
    assertThat(reason("h04")).contains("h01, h02", ": soak until 20");
    assertThat(offered()).doesNotContain("h03", "h04");

    soaked();
    // What goes on is read from rows: another process does it as well.
    new CanaryGates(database.jdbi()).advance(ALL_UP);
    assertThat(offered()).contains("h03", "h04");
    assertThat(reason("h04")).isEmpty();
    assertThat(fleet.rows.gatesPassed()).isEqualTo(1);
  }

  @Test
  void whatIsNotUpWhenTheSoakEndsHoldsTheRestUntilItIs() {
    done("h01", HostUpgradeState.Upgraded);
    done("h02", HostUpgradeState.Upgraded);
    soaked();
    advance(
        (hosts, applications) -> {
          assertThat(hosts).containsExactly("h01", "h02");
          assertThat(applications).containsExactly("web");
          return Map.of("web@h02", "unhealthy");
        });
    assertThat(offered()).doesNotContain("h03", "h04");
    assertThat(reason("h03")).endsWith(", and not up since: web@h02 (unhealthy)");
    advance(ALL_UP);
    assertThat(offered()).contains("h03", "h04");
  }

  /** A rollout may have a hundred thousand hosts that wait, and this is looked at every 5 s. */
  @Test
  void howLongACanaryHasNotBeenSeenIsNoNewsButWhichOneIs() {
    done("h01", HostUpgradeState.Upgraded);
    done("h02", HostUpgradeState.Upgraded);
    soaked();
    advance(notUp("h02", "last observed 75 s ago, bound 60 s"));
    String written = fleet.rows.host("h03").version();
    advance(notUp("h02", "last observed 80 s ago, bound 60 s"));
    assertThat(fleet.rows.host("h03").version())
        .as("its row was not written again")
        .isEqualTo(written);
    assertThat(reason("h03")).endsWith("web@h02 (last observed 75 s ago, bound 60 s)");
    advance(notUp("h01", "last observed 80 s ago, bound 60 s"));
    assertThat(reason("h03")).endsWith("web@h01 (last observed 80 s ago, bound 60 s)");
  }

  private static Watch notUp(String host, String why) {
    return (hosts, applications) -> Map.of("web@" + host, why);
  }

  @Test
  void aCanaryThatDidNotEndWellHoldsTheRestForGoodWithItsReason() {
    done("h01", HostUpgradeState.Upgraded);
    fleet.asIf.reason("h02", "does not boot");
    done("h02", HostUpgradeState.Quarantined);
    soaked();
    advance(ALL_UP);
    assertThat(offered()).containsExactly("h05");
    assertThat(reason("h03")).endsWith("stopped by h02 is Quarantined: does not boot");
    assertThat(fleet.rows.waitingReasons("h03")).as("what host why tells later").hasSize(2);
  }

  @Test
  void whoWaitsForTwoPoliciesWaitsForBoth() {
    gates(new Gate("ads", 1, Set.of("ads"), 60, List.of("h05"), Set.of("h03")));
    done("h01", HostUpgradeState.Upgraded);
    done("h02", HostUpgradeState.Upgraded);
    soaked();
    advance(ALL_UP);
    assertThat(offered()).contains("h04").doesNotContain("h03");
    assertThat(reason("h03"))
        .isEqualTo("waits for canaries h05 (policy ads version 1): not done yet: h05");
    done("h05", HostUpgradeState.Upgraded);
    soaked();
    advance(ALL_UP);
    assertThat(offered()).contains("h03");
  }

  private void gates(Gate gate) {
    database.jdbi().useTransaction(handle -> CanaryGates.write(handle, "r1", List.of(gate)));
  }

  private void advance(Watch watch) {
    new CanaryGates(database.jdbi()).advance(watch);
  }

  private void done(String host, HostUpgradeState state) {
    fleet.asIf.ended(state, host);
  }

  private void soaked() {
    fleet.asIf.endedBefore(31);
  }

  private String reason(String host) {
    return fleet.rows.host(host).reason();
  }

  private List<String> offered() {
    return fleet.candidates.pending(List.of(), 10).stream()
        .flatMap(c -> c.hosts().stream())
        .toList();
  }

  private static Candidate candidate(String host) {
    return new Candidate("r1." + host, "r1", List.of(host), "sre", "test");
  }
}
