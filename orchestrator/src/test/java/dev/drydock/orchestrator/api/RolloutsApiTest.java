package dev.drydock.orchestrator.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.intake.PlanFacts;
import dev.drydock.orchestrator.intake.Planning;
import dev.drydock.orchestrator.intake.Planning.Outlook;
import dev.drydock.orchestrator.intake.Planning.Planned;
import dev.drydock.orchestrator.intake.Planning.Step;
import dev.drydock.orchestrator.intake.Planning.Timeline;
import dev.drydock.orchestrator.intake.PolicyCoverage;
import dev.drydock.orchestrator.intake.RolloutIntake;
import dev.drydock.orchestrator.report.ReportStore;
import dev.drydock.orchestrator.store.CanaryGates.Gate;
import dev.drydock.orchestrator.store.HostDecisions;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.proto.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  private static final Map<String, List<String>> moved = new HashMap<>();
  private static int version = 3;
  private static TestDatabase database;
  private static Fleet fleet;
  private static TestApi api;

  @BeforeAll
  static void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    for (String host : List.of("h01", "h02", "h03", "h04", "h05", "gone", "rpm1", "rpm2", "odd")) {
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
        new RolloutIntake(database.jdbi(), new Coverage(), RolloutsApiTest::planned, started::add);
    RolloutStore rollouts = new RolloutStore(database.jdbi());
    api =
        TestApi.start(
            Resources.of(
                    RolloutsResource.class,
                    () ->
                        new RolloutsResource(
                            intake,
                            rollouts,
                            new ReportStore(database.jdbi()),
                            RolloutsResource.Controls.of(
                                database.jdbi(), intake, fleet.zones, fleet.onward)))
                .and(HostUpgradesResource.class, () -> new HostUpgradesResource(rollouts))
                .and(
                    HostDecisionsResource.class,
                    () -> new HostDecisionsResource(new HostDecisions(database.jdbi()))));
  }

  /** h03 has an application without a policy; two teams do not want h05 re-imaged. */
  private static final class Coverage implements PolicyCoverage {
    @Override
    public Map<String, Set<String>> applicationsWithoutPolicy(Collection<String> hosts) {
      return hosts.contains("h03") ? Map.of("h03", Set.of("orphan")) : Map.of();
    }

    @Override
    public Map<String, Set<String>> forbidding(Collection<String> hosts, String mode) {
      return hosts.contains("h05") && mode.equals("Reimage")
          ? Map.of("h05", Set.of("web", "search"))
          : Map.of();
    }
  }

  /** A planner is given each host once, whatever was submitted. */
  private static Planned planned(Collection<String> hosts, String release) {
    assertThat(hosts).doesNotHaveDuplicates();
    List<List<String>> batches = Planning.alone(hosts).batches();
    Map<String, List<String>> placement = new HashMap<>();
    hosts.forEach(host -> placement.put(host, List.of("web@" + host + " (web, zone z1)")));
    placement.putAll(moved);
    placement.keySet().retainAll(hosts);
    return new Planned(
        batches,
        hosts.contains("h04") ? Map.of("h04", List.of("web needs all")) : Map.of(),
        hosts.size() == 3
            ? List.of(
                new Gate(
                    "web",
                    3,
                    Set.of("web"),
                    60,
                    batches.getFirst(),
                    Set.copyOf(batches.stream().skip(1).flatMap(List::stream).toList())))
            : List.of(),
        new PlanFacts(Map.of("web", version), placement),
        new Outlook(
            batches.stream().map(batch -> new Step(batch, 0, 60_000)).toList(),
            List.of(),
            60_000,
            30_000,
            "so it is",
            List.of(new Timeline("web", 9, 0, 60_000, 1, -1)),
            List.of(),
            Map.of("web", "windows [always]"),
            Map.of("drain: up to 5m (policy web), then Ask (policy search)", 3),
            Map.of("4m, the median of 3 hosts with web to release " + release, 3)));
  }

  @BeforeEach
  void forget() {
    started.clear();
    moved.clear();
    version = 3;
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
  void aPlanSaysWhatWouldBecomeOfASubmissionAndWritesNothing() {
    String before = rows();
    Map<String, Object> plan = plan("{'release': '2', 'hosts': ['h02', 'h04']}");
    assertThat(Json.writeTree(plan))
        .contains("\"boundFormula\":\"so it is\"", "\"gap\":1.0", "web needs all", "always")
        .contains("\"drains\":{\"drain: up to 5m (policy web), then Ask (policy search)\":3}");
    assertThat(revision(plan)).contains("\"web\":3", "web@h02 (web, zone z1)");
    assertThat(rows()).isEqualTo(before);
    assertThat(started).isEmpty();
    assertThat(post("?action=plan", "{'request': {'release': '9', 'hosts': ['h01']}}").status())
        .isEqualTo(422);
  }

  @Test
  void aStalePlanIsRefusedWithTheDifferenceAndNothingIsWritten() {
    String revision = revision(plan("{'release': '2', 'hosts': ['h02', 'h01']}"));
    String submission = "{'release': '2', 'hosts': ['h02', 'h01'], 'plan': %s}".formatted(revision);
    assertThat(submit(submission).status()).isEqualTo(201);

    version = 4;
    moved.put("h01", List.of("web@h01 (web, zone z1)", "ads@h01 (ads, zone z7)"));
    moved.put("h02", List.of());
    String before = rows();
    started.clear();
    Answer stale = submit(submission);
    assertThat(stale.status()).isEqualTo(409);
    assertThat(json(stale)).containsEntry("code", "STALE_PLAN");
    assertThat(stale.body())
        .contains(
            "policy web version 3 → 4",
            "h01 gained instance ads@h01 (ads, zone z7)",
            "h02 lost instance web@h02 (web, zone z1)");
    assertThat(rows()).isEqualTo(before);
    assertThat(started).isEmpty();
    assertThat(submit("{'release': '2', 'hosts': ['h02', 'h01']}").status())
        .as("control: who started no plan is not refused")
        .isEqualTo(201);
  }

  @Test
  void aPlanOfOtherHostsIsStaleAndADigestAloneSuffices() {
    String revision = revision(plan("{'release': '2', 'hosts': ['h02', 'h01']}"));
    assertThat(submit("{'release': '2', 'hosts': ['h02'], 'plan': %s}".formatted(revision)).body())
        .contains("STALE_PLAN", "host h01 of the plan is not submitted");
    String digest = revision.replaceFirst(".*\"digest\":\"([0-9a-f]+)\".*", "$1");
    String named = "{'release': '2', 'hosts': ['h02', 'h01'], 'plan': {'digest': '%s'}}";
    assertThat(submit(named.formatted(digest)).status()).isEqualTo(201);
    version = 4;
    assertThat(submit(named.formatted(digest)).body()).contains("STALE_PLAN", "send the plan");
  }

  @Test
  void showsPriorityAndWhoGoesFirst() {
    Answer both = submit("{'release': '2', 'hosts': ['h01', 'h02', 'h05'], 'priority': 'High'}");
    String id = both.header("x-restli-id").orElseThrow();
    assertThat(json(get("/api/rollouts/" + id))).containsEntry("priority", "High");
    assertThat(get("/api/rollouts/" + id).body())
        .contains("\"policy\":\"web\"", "\"soakSeconds\":60", "not done yet: h01");
    assertThat(get("/api/hostUpgrades?q=rollout&rollout=" + id).body())
        .contains("waits for canaries h01 (policy web version 3)");
    assertThat(submit("{'release': '2', 'hosts': ['h01'], 'priority': 'Urgent'}").status())
        .isBetween(400, 422);
  }

  @Test
  void hostsOfARefusedSubmissionTellWhyLater() {
    submit("{'release': '2', 'hosts': ['h04', 'h03', 'h01']}");
    assertThat(get("/api/hostDecisions?q=host&host=h04").body())
        .contains(
            "\"Infeasible\"", "a rollout to release 2 was refused: web needs all", "operator");
    assertThat(get("/api/hostDecisions?q=host&host=h03").body()).contains("orphan");
    assertThat(get("/api/hostDecisions?q=host&host=h01").body())
        .as("nothing stands against this one")
        .doesNotContain("Infeasible");
    for (int again = 0; again < 25; again++) {
      submit("{'release': '2', 'hosts': ['h04']}");
    }
    assertThat(fleet.value("SELECT count(*) FROM refused_hosts WHERE host = 'h04'"))
        .as("bounded")
        .isEqualTo("20");
  }

  private static Map<String, Object> plan(String request) {
    Answer answer = post("?action=plan", "{'request': " + request + "}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    @SuppressWarnings("unchecked")
    Map<String, Object> value = (Map<String, Object>) json(answer).get("value");
    return Objects.requireNonNull(value);
  }

  private static String revision(Map<String, Object> plan) {
    @SuppressWarnings("unchecked")
    Map<String, Object> revision = (Map<String, Object>) plan.get("revision");
    return Json.writeTree(Objects.requireNonNull(revision));
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
  void aReImageNeedsAnImageForTheFamilyOfEachHost() {
    fleet.execute(
        """
        INSERT INTO releases (name, spec, created_by) VALUES ('image', '{"name": "image", "channel": "http://x/apt",
          "packages": {}, "kernel": "6", "dnfChannel": "http://x/rpm", "imageVersion": "2.0",
          "images": {"apt": "http://x/apt.iso"}}', 'test')
        """);
    String order = "{'release': '%s', 'mode': 'Reimage', 'hosts': [%s]}";
    Answer refused = submit(order.formatted("image", "'h01', 'rpm1'"));
    assertThat(paths(refused)).containsExactly("hosts[1]");
    assertThat(json(refused)).containsEntry("code", "NO_IMAGE");
    assertThat(refused.body()).contains("rpm1 is of family dnf, and release image has no image");
    assertThat(json(submit(order.formatted("2", "'h01'")))).containsEntry("code", "NO_IMAGE");
    assertThat(submit("{'release': 'image', 'hosts': ['rpm1']}").status())
        .as("packages need no image")
        .isEqualTo(201);
    Answer taken = submit(order.formatted("image", "'h01'"));
    assertThat(taken.status()).as(taken.body()).isEqualTo(201);
    Answer forbidden = submit(order.formatted("image", "'h01', 'h05'"));
    assertThat(paths(forbidden)).containsExactly("hosts[1]");
    assertThat(json(forbidden)).containsEntry("code", "MODE_FORBIDDEN");
    assertThat(forbidden.body())
        .contains("h05: Reimage is not among spec.modes of policy search, web; choose");
    assertThat(submit("{'release': 'image', 'hosts': ['h05']}").status()).isEqualTo(201);
  }

  private static void release(String name, String version) {
    fleet.execute(
        """
        INSERT INTO releases (name, spec, created_by) VALUES ('%1$s', '{"name": "%1$s", "channel": "http://x/apt",
          "packages": {"agent": "%2$s"}, "kernel": "6", "dnfChannel": "http://x/rpm",
          "dnfPackages": {"agent": "%2$s"}}', 'test')
        """
            .formatted(name, version));
  }

  @Test
  void aReleaseOlderThanThatOfHostsIsRefusedWithBothAndTheWayBack() {
    release("9.9", "9.9");
    release("9.10", "9.10");
    for (String host : List.of("b1", "b2", "b3")) {
      fleet.host(host);
    }
    fleet.family("b2", "dnf");
    fleet.execute("UPDATE hosts SET release = '9.10' WHERE name IN ('b1', 'b2')");
    String before = rows();
    Answer refused = submit("{'release': '9.9', 'hosts': ['b1', 'b3', 'b2']}");
    assertThat(refused.status()).isEqualTo(422);
    assertThat(json(refused)).containsEntry("code", "OLDER_RELEASE");
    assertThat(paths(refused)).containsExactly("hosts[0]", "hosts[2]");
    assertThat(refused.body())
        .contains(
            "b1 is on release 9.10, and release 9.9 is older (agent would go from 9.10 back to"
                + " 9.9); take it back with: drydock rollout revert")
        .contains("b2 is on release 9.10");
    assertThat(rows()).isEqualTo(before);
    assertThat(started).isEmpty();
  }

  /** The control: a newer one is taken, and so is a host of which nothing is known. */
  @Test
  void aReleaseThatIsNewerOrCannotBeComparedIsTaken() {
    release("8.1", "8.1");
    fleet.host("c1");
    fleet.host("c2");
    fleet.execute("UPDATE hosts SET release = '2' WHERE name = 'c1'");
    assertThat(submit("{'release': '8.1', 'hosts': ['c1', 'c2']}").status()).isEqualTo(201);
    fleet.execute("UPDATE hosts SET release = '8.1' WHERE name = 'c1'");
    release("8.2", "8.2");
    assertThat(submit("{'release': '8.2', 'hosts': ['c1']}").status()).isEqualTo(201);
  }

  @Test
  void asksWhetherAnotherSpellingWasMeant() {
    fleet.host("Mixed.dc1");
    Answer refused = submit("{'release': '2', 'hosts': ['H01', 'h02.', 'nowhere', 'mixed.DC1']}");
    assertThat(paths(refused)).containsExactly("hosts[0]", "hosts[1]", "hosts[2]", "hosts[3]");
    assertThat(refused.body())
        .contains("no source reports a host named \\\"H01\\\": did you mean h01?")
        .contains("did you mean h02?")
        .contains("did you mean Mixed.dc1?")
        .contains("no source reports a host named \\\"nowhere\\\"\"}");
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
    Answer infeasible = submit("{'release': '2', 'hosts': ['h01', 'h04']}");
    assertThat(json(infeasible)).containsEntry("code", "INFEASIBLE");
    assertThat(infeasible.body()).contains("h04 could never be granted: web needs all");
    assertThat(json(submit("{'release': '2', 'hosts': []}"))).containsEntry("code", "NO_HOSTS");
  }

  private static void label(String host, String rack) {
    fleet.execute(
        """
        UPDATE hosts SET labels = labels || '{"rack": "%s"}' WHERE name = '%s'
        """
            .formatted(rack, host));
  }

  private static List<Object> hosts(String rollout) {
    Map<String, Object> found =
        json(get("/api/hostUpgrades?q=rollout&rollout=" + rollout + "&count=100"));
    return ((List<?>) Objects.requireNonNull(found.get("elements")))
        .stream().map(one -> (Object) ((Map<?, ?>) one).get("host")).toList();
  }

  @Test
  void selectsHostsByTheirLabelsWhenItIsSubmittedAndNoneLater() {
    for (String host : List.of("s2", "s1", "late")) {
      fleet.host(host);
    }
    label("s2", "sel");
    label("s1", "sel");
    label("gone", "sel");
    String request =
        "{'release': '2', 'selector': 'rack in (sel), os-family!=dnf', 'requestId': 'by-label'}";
    Answer created = submit(request);
    assertThat(created.status()).as(created.body()).isEqualTo(201);
    String id = created.header("x-restli-id").orElseThrow();
    assertThat(hosts(id)).as("no host that vanished").containsExactly("s1", "s2");
    assertThat(json(get("/api/rollouts/" + id)))
        .containsEntry("selector", "rack in (sel), os-family!=dnf")
        .containsEntry("hostCount", 2);
    label("late", "sel");
    assertThat(submit(request).header("x-restli-id"))
        .as("it is the same submission, whoever joined")
        .contains(id);
    assertThat(hosts(id)).containsExactly("s1", "s2");
    Answer other = submit("{'release': '2', 'selector': 'rack in (sel)', 'requestId': 'by-label'}");
    assertThat(json(other)).containsEntry("code", "REQUEST_ID_REUSED");
    assertThat(submit("{'release': '2', 'hosts': ['s1', 's2'], 'requestId': 'by-label'}").status())
        .as("nor is one that names them")
        .isEqualTo(409);
  }

  @Test
  void saysWhatIsWrongWithASelector() {
    Answer misspelt = submit("{'release': '2', 'selector': 'rack=~r.*'}");
    assertThat(json(misspelt)).containsEntry("code", "INVALID_SELECTOR");
    assertThat(paths(misspelt)).containsExactly("selector");
    assertThat(misspelt.body()).contains("is no requirement; write key=value");
    Answer endless = submit("{'release': '2', 'selector': '" + "a,".repeat(3_000) + "a'}");
    assertThat(json(endless)).containsEntry("code", "INVALID_SELECTOR");
    assertThat(endless.body()).contains("must be text of at most 4000 characters");
    Answer both = submit("{'release': '2', 'selector': 'rack', 'hosts': ['h01']}");
    assertThat(json(both)).containsEntry("code", "INVALID_SELECTOR");
    assertThat(both.body()).contains("hosts are named as well");
    Answer none = submit("{'release': '2', 'selector': 'rack=nowhere'}");
    assertThat(json(none)).containsEntry("code", "NO_HOSTS");
    assertThat(paths(none)).containsExactly("selector");
    label("h04", "never");
    Answer infeasible = submit("{'release': '2', 'selector': 'rack=never'}");
    assertThat(infeasible.body()).contains("h04 could never be granted");
    assertThat(started).isEmpty();
  }

  @Test
  void plansHostsThatAreSelected() {
    label("h05", "planned");
    Answer planned =
        post("?action=plan", "{'request': {'release': '2', 'selector': 'rack=planned'}}");
    assertThat(planned.status()).as(planned.body()).isEqualTo(200);
    assertThat(planned.body()).contains("\"hosts\":[\"h05\"]");
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

  private static Answer post(String path, String body) {
    return api.call("operator", "POST", "/api/rollouts" + path, quoted(body));
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
    return fleet.rows.rollouts().size()
        + " "
        + fleet.rows.hosts().size()
        + " "
        + fleet.value(
            "SELECT (SELECT count(*) FROM events) || ' ' || (SELECT count(*) FROM audit)");
  }
}
