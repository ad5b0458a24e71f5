package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code drydock rollout plan}: from files alone, with no server and no token. */
final class RolloutPlanCommandTest {
  private static final String POLICY =
      """
      apiVersion: drydock.dev/v1
      kind: UpgradePolicy
      metadata: {name: %s, team: search}
      spec:
        applications: [%s]
        capacity: [%s]
      """;

  @TempDir Path home;
  private Path fleet = Path.of("");
  private Path policies = Path.of("");
  private Path out = Path.of("");

  @BeforeEach
  void files() throws IOException {
    fleet = home.resolve("fleet.csv");
    policies = Files.createDirectory(home.resolve("policies"));
    out = home.resolve("plan.csv");
    write(policies.resolve("leaf.yaml"), POLICY.formatted("leaf", "leaf", "{maxUnavailable: 1}"));
  }

  private static void write(Path file, String text) throws IOException {
    Files.writeString(file, text);
  }

  private Run plan(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of("rollout", "plan", "--fleet", fleet.toString(), "--out", out.toString()));
    arguments.addAll(List.of("--policy", policies.toString(), "--search", "0"));
    arguments.addAll(List.of(more));
    return Run.of(Map.of(), home, arguments);
  }

  @Test
  void writesWhenEachHostBeginsAndEnds() throws IOException {
    write(
        fleet,
        """
        instance,application,host,zone,seconds
        l1,leaf,h1,z1,60
        l2,leaf,h2,z1,30
        ,,h3,,10
        """);
    Run run = plan("--begin", "2026-06-01T09:00:00Z");
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(out).hasContent("host,start,end\nh1,0,60\nh3,0,10\nh2,60,90\n");
    assertThat(run.out())
        .contains(
            "3 hosts planned",
            "takes 1m30s from the first host to the last, until 2026-06-01T09:01:30Z",
            "this one is 0.0 % longer")
        .contains("service work of application leaf")
        .containsPattern("leaf +2 +0s +1m30s +1 +1");
  }

  @Test
  void namesHostsThatNoWaitingHelps() throws IOException {
    write(fleet, "instance,application,host,zone\nl1,leaf,h1,z1\nl2,leaf,h1,z1\nl3,leaf,h2,z1\n");
    Run run = plan();
    assertThat(run.code()).isEqualTo(ExitCode.REFUSED);
    assertThat(run.err())
        .isEqualTo(
            "infeasible: h1: application leaf: maxUnavailable 1 (policy leaf): host h1 takes 2 at"
                + " once, at most 1 may be taken with everything up\n");
    assertThat(out).hasContent("host,start,end\nh2,0,3600\n");
  }

  @Test
  void countsCapacityWhereTheFleetTellsIt() throws IOException {
    String least = "{minAvailable: {capacity: 40}}";
    write(policies.resolve("leaf.yaml"), POLICY.formatted("leaf", "leaf", least));
    write(
        fleet,
        """
        instance,application,host,zone,capacity,seconds
        l1,leaf,h1,z1,32,60
        l2,leaf,h2,z1,8,10
        l3,leaf,h3,z1,8,10
        l4,leaf,h4,z1,,10
        l5,leaf,h5,z1,23,70
        """);
    Run run = plan();
    assertThat(run.err()).isEmpty();
    assertThat(out).as("72 in all, so 32 at once").content().contains("h1,0,60", "h5,60,130");
    assertThat(run.out()).contains("this one is 0.0 % longer", "clique of 2 hosts");
    write(
        policies.resolve("leaf.yaml"), POLICY.formatted("leaf", "leaf", least.replace("40", "41")));
    assertThat(plan().err())
        .isEqualTo(
            "infeasible: h1: application leaf: minAvailable capacity 41 (policy leaf): host h1"
                + " takes 32 units at once, at most 31 may be taken with everything up\n");
  }

  @Test
  void namesCapacitiesThatAreNone() throws IOException {
    write(
        fleet,
        "instance,application,host,zone,capacity\nl1,leaf,h1,z1,0\nl2,leaf,h2,z1,x\nl3,leaf,h3,z1,10001\n");
    assertThat(plan().err())
        .contains(":2: capacity is '0', must be a whole number from 1 to 10000")
        .contains(":3: capacity is 'x'", ":4: capacity is '10001'");
  }

  @Test
  void namesAFaultZoneThatDoesNotFitTogether() throws IOException {
    String batching =
        "{maxUnavailable: 1}]\n  batching: {by: faultZone, mode: AllOrNone}\n  windows: [{timezone: UTC, from: \"00:00\", to: \"24:00\"}";
    write(policies.resolve("leaf.yaml"), POLICY.formatted("leaf", "leaf", batching));
    write(fleet, "instance,application,host,zone\nl1,leaf,h1,z1\nl2,leaf,h2,z1\nl3,leaf,h3,z2\n");
    Run run = plan();
    assertThat(run.code()).isEqualTo(ExitCode.REFUSED);
    assertThat(run.err())
        .startsWith("infeasible: h1, h2: application leaf: maxUnavailable 1")
        .contains("the batch of 2 hosts that fault zones join takes 2 at once");
    assertThat(Files.readString(out)).contains("h3,").doesNotContain("h1,");
  }

  @Test
  void namesAFaultZoneThatIsMoreThanOneGrantTakes() throws IOException {
    String batching =
        "{maxUnavailable: 100%}]\n  batching: {by: faultZone, mode: AllOrNone}\n  windows: [{timezone: UTC, from: \"00:00\", to: \"24:00\"}";
    write(policies.resolve("leaf.yaml"), POLICY.formatted("leaf", "leaf", batching));
    StringBuilder lines = new StringBuilder("instance,application,host,zone\n");
    for (int n = 1; n <= 401; n++) {
      lines.append("l%d,leaf,h%d,%s\n".formatted(n, n, n <= 200 ? "fits" : "large"));
    }
    write(fleet, lines.toString());
    Run run = plan();
    assertThat(run.code()).isEqualTo(ExitCode.REFUSED);
    assertThat(run.err())
        .contains(
            "fault zone large of application leaf: these 201 hosts go together, and one grant takes"
                + " at most 200");
    assertThat(Files.readString(out)).contains("h200,").doesNotContain("h201,");
  }

  @Test
  void takesTheFirstHostsFirst() throws IOException {
    write(policies.resolve("leaf.yaml"), POLICY.formatted("leaf", "leaf", "{maxUnavailable: 3}"));
    write(fleet, "instance,application,host,zone\nl1,leaf,h1,z1\nl2,leaf,h2,z1\nl3,leaf,h3,z2\n");
    assertThat(plan("--canary", "1", "--soak", "10m", "--duration", "5m").code()).isZero();
    assertThat(out).hasContent("host,start,end\nh1,0,300\nh2,900,1200\nh3,900,1200\n");
  }

  @Test
  void waitsForWindows() throws IOException {
    String night =
        "{maxUnavailable: 3}]\n  windows: [{timezone: UTC, from: \"22:00\", to: \"23:30\"}";
    write(policies.resolve("leaf.yaml"), POLICY.formatted("leaf", "leaf", night));
    write(fleet, "instance,application,host,zone\nl1,leaf,h1,z1\n");
    assertThat(plan("--begin", "2026-06-01T21:00:00Z").err()).isEmpty();
    assertThat(out).hasContent("host,start,end\nh1,3600,7200\n");
  }

  @Test
  void namesEveryFaultByLine() throws IOException {
    write(
        fleet,
        """
        instance,application,host,zone
        l1,leaf,h1,z1
        l2,leef,h1,z1
        l1,leaf,h2
        l3,leaf,,z1
        l1,leaf,h3,z1
        "l5",leaf,h4,z1
        """);
    Run run = plan();
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err().lines())
        .containsExactly(
            fleet + ":3: application leef has no policy: add one, or leave its instances out",
            fleet + ":4: has 3 values, the first line names 4 columns",
            fleet + ":5: names no host",
            fleet + ":7: quotes are not supported",
            fleet + ":6: instance l1 is listed twice, first on line 2",
            "drydock: nothing was planned: 5 errors");
    assertThat(out).doesNotExist();
  }

  @Test
  void namesFaultsOfPolicies() throws IOException {
    write(fleet, "instance,application,host,zone\nl1,leaf,h1,z1\n");
    write(policies.resolve("more.yaml"), POLICY.formatted("more", "leaf", "{maxUnavailable: -1}"));
    Run run = plan();
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("more.yaml:6: spec.capacity[0].maxUnavailable is -1, must be");
  }

  /** Each host is told by what holds of it: the longest time-out of those that run there. */
  @Test
  void tellsHowDrainingIsLimitedAndWhosePolicyItIs() throws IOException {
    String leaf = POLICY.formatted("leaf", "leaf", "{maxUnavailable: 2}");
    write(policies.resolve("leaf.yaml"), leaf + "  drain: {timeout: 4s, onTimeout: Ask}\n");
    String web = POLICY.formatted("web", "web", "{maxUnavailable: 2}");
    write(policies.resolve("web.yaml"), web + "  drain: {timeout: 5m, onTimeout: Force}\n");
    String alone = "instance,application,host,zone\nl1,leaf,h1,z1\nl2,leaf,h2,z1\n,,h3,\n";
    String leafs = "drain: up to 4s (policy leaf), then Ask (policy leaf): ";
    write(fleet, alone);
    assertThat(plan().out()).contains(leafs + "2 hosts\n");
    write(fleet, alone + "w1,web,h1,z1\n");
    assertThat(plan().out())
        .contains("drain: up to 5m (policy web), then Ask (policy leaf): 1 host\n")
        .contains(leafs + "1 host\n");
  }

  /** Two machines in two locations; the first two of three processes are of one service. */
  @Test
  void plansAPublishedFleetByRulesOfItsOwnOrThoseGiven() throws IOException {
    fleet = home.resolve("model_a.txt");
    write(fleet, "1 0 5  2  0 0 9 9 0 1  1 1 9 9 1 0  2  0 0  0 0  3  0 1 1  0 1 1  1 1 1");
    write(home.resolve("assignment_a.txt"), "0 1 1\n");
    Run own = published("--search", "0", "--duration", "1m");
    assertThat(own.err()).isEmpty();
    assertThat(own.code()).isZero();
    assertThat(own.out()).containsPattern("s0 +2 +0s +2m00s +1 +1");
    assertThat(Files.readString(out)).contains("m0,").contains("m1,").contains(",60,120\n");

    write(policies.resolve("s0.yaml"), POLICY.formatted("s0", "s0", "{maxUnavailable: 2}"));
    write(policies.resolve("s1.yaml"), POLICY.formatted("s1", "s1", "{maxUnavailable: 1}"));
    assertThat(plan("--duration", "1m").code()).isZero();
    assertThat(out).hasContent("host,start,end\nm0,0,60\nm1,0,60\n");
  }

  @Test
  void namesWhatIsWrongWithAPublishedFleet() throws IOException {
    fleet = home.resolve("model_a.txt");
    write(fleet, "1 0 5  2  0 0 9 9 0 1  1 1 9 9 1 0  2  0 0  0 0  1  0 1 1");
    Path assignment = home.resolve("assignment_a.txt");
    write(assignment, "2\n");
    Run unknown = published();
    assertThat(unknown.code()).isEqualTo(ExitCode.USAGE);
    assertThat(unknown.err())
        .startsWith(assignment + ": number 1 must be a machine from 0 to 1, is '2'\n");
    write(fleet, "1 0 5  2  0 0 9");
    assertThat(published().err())
        .startsWith(fleet + ": is cut off: it ends after 7 numbers, 3 short\n");
    assertThat(out).doesNotExist();
  }

  /** Without policies: those of comparisons apply. */
  private Run published(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of("rollout", "plan", "--fleet", fleet.toString(), "--out", out.toString()));
    arguments.addAll(List.of(more));
    return Run.of(Map.of(), home, arguments);
  }

  @Test
  void saysWhatIsMissing() throws IOException {
    assertThat(plan().err()).contains("fleet.csv: there is no such file");
    write(fleet, "instance,app,host,zone\n");
    assertThat(plan().err()).contains("fleet.csv:1: there is no column application");
    write(fleet, "instance,application,host,zone\nl1,leaf,h1,z1\n");
    assertThat(plan("--begin", "tomorrow").err())
        .contains("'--begin'", "'tomorrow' is no moment; write such as");
    Files.delete(policies.resolve("leaf.yaml"));
    assertThat(plan().err()).contains("policies: has no policy");
  }

  private static final String WINDOW =
      """
      apiVersion: drydock.dev/v1
      kind: UpgradePolicy
      metadata: {name: leaf, team: search}
      spec:
        applications: [leaf]
        capacity: [{maxUnavailable: 1}]
        windows: [{timezone: UTC, from: "09:00", to: "17:00"}]
      """;

  @Test
  void plansAtAFractionOfAMillisecondAsAtTheWholeSecond() throws IOException {
    write(policies.resolve("leaf.yaml"), WINDOW);
    write(fleet, "instance,application,host,zone,seconds\nl1,leaf,h1,z1,60\nl2,leaf,h2,z1,30\n");
    Run whole = plan("--begin", "2026-06-01T08:00:00Z");
    assertThat(whole.code()).as(whole.err()).isZero();
    String planned = Files.readString(out);
    assertThat(planned).isEqualTo("host,start,end\nh1,3600,3660\nh2,3660,3690\n");
    for (String fine : List.of("123456789", "000000001", "999999999", "5")) {
      Run run = plan("--begin", "2026-06-01T08:00:00." + fine + "Z");
      assertThat(run).as(fine).isEqualTo(whole);
      assertThat(out).as(fine).hasContent(planned);
    }
  }

  @Test
  void tellsHostsThatWaitForOneThingInOneLineAndNoGap() throws IOException {
    write(policies.resolve("leaf.yaml"), POLICY.formatted("leaf", "leaf", "{minAvailable: 21}"));
    StringBuilder hosts = new StringBuilder("instance,application,host,zone\n");
    for (int i = 10; i < 30; i++) {
      hosts.append("l%d,leaf,h%d,z1\n".formatted(i, i));
    }
    write(fleet, hosts.toString());
    String desired = Files.readString(policies.resolve("leaf.yaml")) + "  desired: 22\n";
    write(policies.resolve("leaf.yaml"), desired);
    Run run = plan();
    assertThat(run.code()).isEqualTo(ExitCode.REFUSED);
    assertThat(run.err())
        .contains("cannot begin: h10, h11")
        .contains("and 10 more")
        .hasLineCount(1);
    assertThat(run.out()).doesNotContain("gap");
  }

  @Test
  void asksWhetherAnotherSpellingWasMeant() throws IOException {
    write(fleet, "instance,application,host,zone\nl1,leaf,h1,z1\n");
    write(home.resolve("hosts.txt"), "\uFEFFH1\r\nh2\r\n");
    assertThat(plan("--hosts", home.resolve("hosts.txt").toString()).err())
        .contains("hosts.txt:1: host H1 is not in " + fleet + ": did you mean h1?\n")
        .contains("hosts.txt:2: host h2 is not in " + fleet + "\n");
  }

  @Test
  void letsTheOthersBeginWhenTheCanariesOfThePolicyAreDoneAndWereWatched() throws IOException {
    String policy = POLICY.formatted("leaf", "leaf", "{maxUnavailable: 3}");
    String fine =
        """
        instance,application,host,zone,seconds
        l1,leaf,h1,z1,60
        l2,leaf,h2,z1,30
        l3,leaf,h3,z1,30
        """;
    write(fleet, fine);
    write(policies.resolve("leaf.yaml"), policy);
    assertThat(plan().code()).isZero();
    assertThat(out).as("the control").hasContent("host,start,end\nh1,0,60\nh2,0,30\nh3,0,30\n");

    write(policies.resolve("leaf.yaml"), policy + "  canary: {hosts: 1, soak: 10m}\n");
    Run run = plan();
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).contains("canaries of policy leaf: h1, then 10m00s");
    assertThat(out).hasContent("host,start,end\nh1,0,60\nh2,660,690\nh3,660,690\n");
  }
}
