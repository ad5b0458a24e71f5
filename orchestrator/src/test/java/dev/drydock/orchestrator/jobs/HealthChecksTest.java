package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Job;
import dev.drydock.orchestrator.activity.BatchRun;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What jobs say of the checks that policies want. */
class HealthChecksTest {
  private final HookBench bench = new HookBench();

  @AfterEach
  void stop() {
    bench.close();
  }

  private BatchRun judged(String host) {
    BatchRun run = bench.begin(host);
    bench.reach(run, Phase.UPDATE);
    bench.pursue(run, Phase.HEALTH);
    assertThat(bench.offered(run)).containsExactly("Health " + host);
    return run;
  }

  private String offered(BatchRun run) {
    return bench.fleet.value(
        "SELECT id FROM jobs WHERE state = 'Pending' AND grant_id = '" + run.grant() + "'");
  }

  private List<String> checks(String job) {
    Claim.Granted claim = (Claim.Granted) bench.claim(job);
    return Json.read(claim.job(), Job.class).getChecks();
  }

  @Test
  void namesWhatEveryPolicyOnTheHostWants() {
    bench.fleet.healthChecks =
        Map.of("web", Set.of("b", "a"), "ads", Set.of("c", "a"), "other", Set.of("d"));
    BatchRun run = bench.begin("h");
    bench.fleet.instance("ads", "h");
    bench.reach(run, Phase.UPDATE);
    bench.pursue(run, Phase.HEALTH);
    assertThat(checks(offered(run))).containsExactly("a", "b", "c");
  }

  @Test
  void saysWhatPoliciesSayWhenItIsClaimed() {
    String job = offered(judged("h"));
    bench.fleet.healthChecks = Map.of("web", Set.of("later"));
    assertThat(checks(job)).containsExactly("later");
  }

  @Test
  void anotherAttemptIsToldWhatPoliciesSayThen() {
    bench.fleet.healthChecks = Map.of("web", Set.of("before"));
    String job = offered(judged("h"));
    assertThat(checks(job)).containsExactly("before");
    bench.fleet.execute("UPDATE jobs SET state = 'Pending', claim = NULL WHERE id = '" + job + "'");
    bench.fleet.healthChecks = Map.of("web", Set.of("since"));
    assertThat(checks(job)).containsExactly("since");
  }

  /** Who does not know one of them need not begin. */
  @Test
  void updateIsToldBeforeAnythingIsDone() {
    bench.fleet.healthChecks = Map.of("web", Set.of("a"));
    BatchRun run = bench.begin("h");
    bench.reach(run, Phase.DRAIN);
    bench.pursue(run, Phase.UPDATE);
    assertThat(bench.offered(run)).containsExactly("Update h");
    assertThat(checks(offered(run))).containsExactly("a");
  }

  @Test
  void noOtherStepIsToldOfAny() {
    bench.fleet.healthChecks = Map.of("web", Set.of("a"));
    BatchRun run = bench.begin("h");
    bench.pursue(run, Phase.FREEZE);
    assertThat(bench.offered(run)).containsExactly("Freeze h");
    assertThat(checks(offered(run))).isEmpty();
  }
}
