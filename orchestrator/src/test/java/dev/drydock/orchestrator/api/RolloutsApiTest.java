package dev.drydock.orchestrator.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.intake.RolloutIntake;
import dev.drydock.orchestrator.report.ReportStore;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.proto.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Submissions over HTTP: everything wrong is named at once, and then nothing was touched. */
@Tag("stack")
class RolloutsApiTest {
  private static final List<String> started = new ArrayList<>();
  private static TestDatabase database;
  private static Fleet fleet;
  private static TestApi api;

  @BeforeAll
  static void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    for (String host : List.of("h01", "h02", "h03", "gone", "rpm1", "rpm2", "odd")) {
      fleet.host(host);
    }
    fleet.family("rpm1", "dnf");
    fleet.family("rpm2", "dnf");
    fleet.family("odd", "zypper");
    fleet.execute(
        """
        INSERT INTO releases (name, spec, created_by) VALUES ('rpm', '{"name": "rpm", "channel": "",
          "packages": {}, "kernel": "6", "dnfChannel": "http://x/rpm"}', 'test')
        """);
    fleet.execute("UPDATE hosts SET vanished_at = clock_timestamp() WHERE name = 'gone'");
    RolloutIntake intake =
        new RolloutIntake(
            database.jdbi(),
            hosts -> hosts.contains("h03") ? Map.of("h03", Set.of("orphan")) : Map.of(),
            started::add);
    RolloutStore rollouts = new RolloutStore(database.jdbi());
    api =
        TestApi.start(
            Resources.of(
                    RolloutsResource.class,
                    () -> new RolloutsResource(intake, rollouts, new ReportStore(database.jdbi())))
                .and(HostUpgradesResource.class, () -> new HostUpgradesResource(rollouts)));
  }

  @BeforeEach
  void forget() {
    started.clear();
  }

  @AfterAll
  static void stop() {
    api.close();
    database.close();
  }

  @Test
  void startsARolloutOfTheHostsAsSubmitted() {
    Answer created = submit("{'release': '2', 'hosts': ['h02', 'h01'], 'reason': 'kernel'}");
    assertThat(created.status()).isEqualTo(201);
    String id = created.header("x-restli-id").orElseThrow();
    assertThat(id).matches("r\\d+");
    assertThat(started).containsExactly(id);
    Map<String, Object> rollout = json(get("/api/rollouts/" + id));
    assertThat(rollout)
        .containsEntry("state", "Running")
        .containsEntry("hostCount", 2)
        .containsEntry("pending", 2)
        .containsEntry("requester", "operator")
        .containsEntry("reason", "kernel");
    assertThat(get("/api/hostUpgrades?q=rollout&rollout=" + id).body())
        .containsSubsequence("\"h02\"", "\"h01\"");
    assertThat(get("/api/rollouts").body()).contains("\"" + id + "\"");
    assertThat(fleet.value("SELECT principal FROM audit WHERE object = 'rollout/" + id + "'"))
        .isEqualTo("operator");
    assertThat(fleet.value("SELECT kind FROM events WHERE rollout = '" + id + "'"))
        .isEqualTo("RolloutCreated");
  }

  @Test
  void namesEveryFaultAtOnceAndStartsNothing() {
    String before = rows();
    Answer refused =
        submit("{'release': '9', 'hosts': ['h01', 'nowhere', 'h01', 'h03', 'gone', 'a\\u0000b']}");
    assertThat(refused.status()).isEqualTo(422);
    assertThat(json(refused)).containsEntry("code", "INVALID_ROLLOUT");
    assertThat(paths(refused))
        .containsExactly("release", "hosts[1]", "hosts[2]", "hosts[3]", "hosts[4]", "hosts[5]");
    assertThat(refused.body()).contains("orphan", "named already, in hosts[0]", "vanished");
    assertThat(rows()).isEqualTo(before);
    assertThat(started).isEmpty();
  }

  @Test
  void hostsWhoseFamilyHasNoChannelAreNamedWithTheFieldAndNothingIsStarted() {
    String before = rows();
    Answer refused = submit("{'release': '2', 'hosts': ['rpm1', 'h01', 'rpm2', 'odd', 'nowhere']}");
    assertThat(refused.status()).isEqualTo(422);
    assertThat(paths(refused)).containsExactly("hosts[0]", "hosts[2]", "hosts[3]", "hosts[4]");
    assertThat(refused.body())
        .contains("rpm1 is of family dnf, and release 2 has no dnfChannel")
        .contains("the label os-family of odd");
    assertThat(rows()).isEqualTo(before);
    assertThat(json(submit("{'release': '2', 'hosts': ['rpm1']}")))
        .containsEntry("code", "NO_CHANNEL");
    Answer apt = submit("{'release': 'rpm', 'hosts': ['rpm1', 'h01']}");
    assertThat(paths(apt)).containsExactly("hosts[1]");
    assertThat(apt.body()).contains("h01 is of family apt, and release rpm has no channel");
    assertThat(submit("{'release': 'rpm', 'hosts': ['rpm1', 'rpm2']}").status()).isEqualTo(201);
  }

  @Test
  void saysWhatIsWrongByOneCodeWhenItIsOneThing() {
    assertThat(json(submit("{'release': '2', 'hosts': ['nowhere']}")))
        .containsEntry("code", "UNKNOWN_HOST");
    assertThat(json(submit("{'release': '9', 'hosts': ['h01']}")))
        .containsEntry("code", "UNKNOWN_RELEASE");
    assertThat(json(submit("{'release': '2', 'hosts': ['h01', 'h01']}")))
        .containsEntry("code", "DUPLICATE_HOST");
    assertThat(json(submit("{'release': '2', 'hosts': ['h03']}")))
        .containsEntry("code", "NO_POLICY");
    assertThat(json(submit("{'release': '2', 'hosts': []}"))).containsEntry("code", "NO_HOSTS");
  }

  @Test
  void refusesWhatIsNoRequest() {
    assertThat(submit("{'release': '2'}").status()).isEqualTo(422);
    assertThat(submit("{'release': '2', 'hosts': ['h01'], 'state': 'Succeeded'}").status())
        .as("what the server sets is not for submitting")
        .isEqualTo(422);
    assertThat(submit("{'release': '2', 'hosts': ['h01'], 'mode': 'Reformat'}").status())
        .isEqualTo(422);
    assertThat(submit("{").status()).isEqualTo(400);
    assertThat(started).isEmpty();
  }

  @Test
  void theSameRequestAgainIsTheSameRollout() {
    String request = "{'release': '2', 'hosts': ['h01'], 'requestId': 'once'}";
    String first = submit(request).header("x-restli-id").orElseThrow();
    assertThat(submit(request).header("x-restli-id")).contains(first);
    Answer other = submit("{'release': '2', 'hosts': ['h02'], 'requestId': 'once'}");
    assertThat(other.status()).isEqualTo(409);
    assertThat(json(other)).containsEntry("code", "REQUEST_ID_REUSED");
  }

  @Test
  void onlyOperatorsStartRollouts() {
    for (String role : List.of("viewer", "owner", "consumer")) {
      assertThat(
              api.call(role, "POST", "/api/rollouts", quoted("{'release': '2', 'hosts': ['h01']}"))
                  .status())
          .isEqualTo(403);
    }
  }

  @Test
  void answers404ForWhatIsNotThere() {
    for (String id : List.of("r999999", "a%00b", "x%20y")) {
      assertThat(get("/api/rollouts/" + id).status()).as(id).isIn(400, 404);
      assertThat(get("/api/hostUpgrades?q=rollout&rollout=" + id).status()).as(id).isIn(400, 404);
    }
  }

  @Test
  void reportsWhatChangedToWhoeverMaySeeTheRollout() {
    String id =
        submit("{'release': '2', 'hosts': ['h01', 'h02']}").header("x-restli-id").orElseThrow();
    fleet.told(id, "h01", "web 1.0\n", "web 1.1\n");
    for (String role : List.of("viewer", "operator", "owner", "consumer")) {
      Answer answer = report(role, id, "{}");
      assertThat(answer.status()).as(role).isEqualTo(200);
      assertThat(answer.body())
          .contains(
              "\"completeHosts\":1",
              "\"hosts\":[\"h02\"]",
              "\"from\":\"1.0\"",
              "\"state\":\"Running\"");
    }
    Answer withAdvisories =
        report(
            "viewer",
            id,
            """
            {'all': true, 'advisories': '{\\'id\\': \\'CVE-1\\', \\'affected\\': [{\\'package\\':
             {\\'ecosystem\\': \\'Debian\\', \\'name\\': \\'web\\'}, \\'versions\\': [\\'1.0\\']}]}'}
            """
                .replace("\n", ""));
    assertThat(withAdvisories.body())
        .contains("\"cve\":\"CVE-1\"", "\"closed\":1", "\"unknown\":1");
    assertThat(get("/api/hostUpgrades?q=rollout&rollout=" + id).body()).doesNotContain("web 1.0");
  }

  @Test
  void refusesReportsThatCannotBeDrawnUp() {
    String id = submit("{'release': '2', 'hosts': ['h01']}").header("x-restli-id").orElseThrow();
    for (String unknown : List.of("r999999", "x%20y")) {
      assertThat(report("viewer", unknown, "{}").status()).isEqualTo(404);
    }
    Answer faulty = report("viewer", id, "{'advisories': '[{}]'}");
    assertThat(faulty.status()).isEqualTo(422);
    assertThat(json(faulty)).containsEntry("code", "INVALID_ADVISORIES");
    assertThat(paths(faulty)).containsExactly("[0].id");
    Answer large = report("viewer", id, "{'advisories': '" + " ".repeat(1 << 20) + "'}");
    assertThat(large.status()).isEqualTo(413);
    assertThat(report("viewer", id, "{'advisories': 3}").status()).isIn(400, 422);
  }

  private static Answer report(String role, String rollout, String body) {
    return api.call(role, "POST", "/api/rollouts/" + rollout + "?action=report", quoted(body));
  }

  private static Answer submit(String body) {
    return api.call("operator", "POST", "/api/rollouts", quoted(body));
  }

  private static Answer get(String path) {
    return api.call("viewer", "GET", path, "");
  }

  private static String quoted(String json) {
    return json.replace('\'', '"');
  }

  private static Map<String, Object> json(Answer answer) {
    return Json.readTree(answer.body());
  }

  private static List<String> paths(Answer answer) {
    List<String> paths = new ArrayList<>();
    for (Object detail : (List<?>) json(answer).getOrDefault("details", List.of())) {
      paths.add(String.valueOf(((Map<?, ?>) detail).get("path")));
    }
    return paths;
  }

  private static String rows() {
    return fleet.value(
        """
        SELECT (SELECT count(*) FROM rollouts) || ' ' || (SELECT count(*) FROM host_upgrades) || ' '
          || (SELECT count(*) FROM events) || ' ' || (SELECT count(*) FROM audit)
        """);
  }
}
