package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The server plans, somebody looks at it, and starts exactly that or is told what changed. */
final class ServerPlanTest extends AtServer {
  private static final String PLAN =
      """
      {"release": "2", "at": 1780304400000,
       "revision": {"digest": "abc", "policies": {"web": 3}, "placement": {"h02": [], "h01": []}},
       "steps": [{"hosts": ["h02"], "beginMillis": 0, "endMillis": 60000},
                 {"hosts": ["h01"], "beginMillis": 60000, "endMillis": 120000}],
       "makespanMillis": 120000, "boundMillis": 120000, "boundFormula": "one after the other",
       "gap": 0.0, "applications": [],
       "drains": {"drain: up to 4s (policy web), then Force (policy web)": 1,
                  "drain: up to 5m (policy web), then Ask (policy search)": 2},
       "durations": {"1m, the median of 9 hosts with web to release 2": 2},
       "canaries": [{"policy": "web", "version": 3, "hosts": ["h02"], "soakSeconds": 1800}]}
      """;
  private static final String ROLLOUT =
      "{\"id\": \"r1\", \"release\": \"2\", \"hostCount\": 2, \"pending\": 2}";

  private Path hosts = Path.of("");
  private Path file = Path.of("");

  @BeforeEach
  void files() throws IOException {
    hosts = Files.writeString(home.resolve("hosts"), "h01\nh02\n");
    file = home.resolve("plan.json");
    server.on("POST rollouts?action=plan", 200, "{\"value\": " + PLAN + "}");
  }

  private Run plan() throws IOException {
    return run(
        "rollout", "plan", "--hosts", "" + hosts, "--release", "2", "--out", file.toString());
  }

  @Test
  void aPlanOfTheServerIsToldLikeOneFromFiles() throws IOException {
    Run run = plan();
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .contains(
            "2 hosts planned; written to " + file,
            "takes 2m00s from the first host to the last, until 2026-06-01T09:02:00Z",
            "no order of hosts takes less than 2m00s (this one is 0.0 % longer): one after the other\n"
                + "work on a host: 1m, the median of 9 hosts with web to release 2: 2 hosts\n")
        .contains("canaries of policy web: h02, then 30m00s", "revision abc")
        .contains(
            "drain: up to 5m (policy web), then Ask (policy search): 2 hosts\n"
                + "drain: up to 4s (policy web), then Force (policy web): 1 host\n");
  }

  @Test
  void startsExactlyWhatWasPlanned() throws IOException {
    plan();
    server.created("POST rollouts", "r1").on("GET rollouts/r1", 200, ROLLOUT);
    assertThat(run("rollout", "start", "--plan", file.toString(), "--priority", "High").code())
        .isZero();
    assertThat(server.bodies())
        .anySatisfy(
            body ->
                assertThat(body)
                    .contains("\"hosts\":[\"h02\",\"h01\"]", "\"digest\":\"abc\"")
                    .contains("\"priority\":\"High\""));
  }

  @Test
  void aStalePlanIsToldWithTheDifference() throws IOException {
    plan();
    server.on(
        "POST rollouts",
        409,
        """
        {"status": 409, "code": "STALE_PLAN", "message": "The plan is stale.",
         "details": [{"path": "plan", "message": "policy web version 3 → 4"}]}
        """);
    Run run = run("rollout", "start", "--plan", file.toString());
    assertThat(run.code()).isEqualTo(ExitCode.CONFLICT);
    assertThat(run.err()).contains("plan: policy web version 3 → 4", "The plan is stale.");
  }

  @Test
  void aPlanNamesItsHostsAndReleaseItself() throws IOException {
    plan();
    for (List<String> wrong :
        List.of(
            List.of("--plan", file.toString(), "--hosts", hosts.toString()),
            List.of("--hosts", hosts.toString()),
            List.of("--plan", hosts.toString()))) {
      List<String> words = new ArrayList<>(List.of("rollout", "start"));
      words.addAll(wrong);
      assertThat(run(words.toArray(String[]::new)).code()).as("" + wrong).isEqualTo(ExitCode.USAGE);
    }
    assertThat(run("rollout", "plan", "--hosts", hosts.toString()).code())
        .isEqualTo(ExitCode.USAGE);
  }
}
