package dev.drydock.orchestrator.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.intake.Planning;
import dev.drydock.orchestrator.intake.PolicyCoverage;
import dev.drydock.orchestrator.intake.RolloutIntake;
import dev.drydock.orchestrator.report.ReportStore;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Commands over HTTP that are refused: to whom, and for which hosts. */
@Tag("stack")
class RolloutCommandsApiTest {
  private static TestDatabase database;
  private static Fleet fleet;
  private static TestApi api;

  @BeforeAll
  static void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    policy("search", "web");
    policy("ads", "ads");
    RolloutIntake intake =
        new RolloutIntake(database.jdbi(), PolicyCoverage.WHOLE, Planning::alone, started -> {});
    api =
        TestApi.start(
            Resources.of(
                RolloutsResource.class,
                () ->
                    new RolloutsResource(
                        intake,
                        new RolloutStore(database.jdbi()),
                        new ReportStore(database.jdbi()),
                        RolloutsResource.Controls.of(
                            database.jdbi(), intake, fleet.zones, fleet.onward))),
            Map.of(
                "sre", new Principal("sre", "sre", Role.OPERATOR, Set.of()),
                "search", new Principal("search", "search", Role.OWNER, Set.of()),
                "ads", new Principal("ads", "ads", Role.OWNER, Set.of())));
  }

  private static void policy(String team, String application) {
    fleet.execute(
        "INSERT INTO policies (name, version, team, yaml, created_by) VALUES ('%1$s', 1, '%1$s', '', 'test')"
            .formatted(team));
    fleet.execute(
        "INSERT INTO policy_applications (application, policy) VALUES ('%s', '%s')"
            .formatted(application, team));
  }

  @AfterAll
  static void stop() {
    api.close();
    database.close();
  }

  @Test
  void anOwnerPausesRolloutsThatTouchApplicationsOfTheTeamAndNoOthers() {
    fleet.host("a1");
    fleet.rollout("r-a", "a1");
    Answer refused = call("ads", "r-a", "pause", "{}");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.body())
        .contains("NOT_YOUR_HOSTS", "ads may not pause rollout r-a", "application of team ads");
    assertThat(state("r-a")).isEqualTo("Running");
    assertThat(call("ads", "r-none", "pause", "{}").status()).isEqualTo(404);
    assertThat(call("search", "r-a", "pause", "{}").status()).isEqualTo(200);
    assertThat(state("r-a")).isEqualTo("Paused");
    assertThat(call("search", "r-a", "resume", "{}").status()).as("operators do").isEqualTo(403);
    assertThat(call("sre", "r-a", "resume", "{}").status())
        .as("an operator of a team without applications")
        .isEqualTo(200);
  }

  @Test
  void aHostWhoseInstancesWereMovedAwayStillConcernsTheirOwner() {
    fleet.host("b1");
    fleet.rollout("r-b", "b1");
    fleet.grant("r-b", "b1");
    fleet.execute("UPDATE instances SET vanished_at = clock_timestamp() WHERE host = 'b1'");
    assertThat(call("search", "r-b", "pause", "{}").status()).isEqualTo(200);
  }

  @Test
  void hostsThatCannotBeAreRefusedWithTheirPlace() {
    fleet.host("c1");
    fleet.rollout("r-c", "c1");
    for (String change : new String[] {"addHosts", "removeHosts"}) {
      Answer none = call("sre", "r-c", change, "{'hosts': []}");
      assertThat(none.status()).as(change).isEqualTo(422);
      assertThat(none.body()).contains("NO_HOSTS");
      Answer odd = call("sre", "r-c", change, "{'hosts': ['c1', 'a\\u0000b']}");
      assertThat(odd.status()).as(change).isEqualTo(422);
      assertThat(odd.body()).contains("hosts[1]", "a?b");
    }
    assertThat(hostState("c1")).isEqualTo("Pending ");
    assertThat(call("sre", "r-c", "removeHosts", "{'hosts': ['c1']}").status()).isEqualTo(200);
    assertThat(hostState("c1")).as("nobody said why").isEqualTo("Cancelled removed by sre");
  }

  private static Answer call(String principal, String rollout, String action, String body) {
    String path = "/api/rollouts/" + rollout + "?action=" + action;
    return api.call(principal, "POST", path, body.replace('\'', '"'));
  }

  private static String state(String rollout) {
    return fleet.rows.rollout(rollout).state().name();
  }

  private static String hostState(String host) {
    Row.Host row = fleet.rows.host(host);
    return row.state() + " " + row.reason();
  }
}
