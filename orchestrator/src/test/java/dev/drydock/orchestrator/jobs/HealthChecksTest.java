package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Job;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.testkit.BatchRows;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What jobs say of the checks that policies want. */
@Tag("stack")
class HealthChecksTest {
  private final HookBench bench = new HookBench();
  private final BatchRows rows = new BatchRows(bench.jdbi(), bench.fleet);

  @AfterEach
  void stop() {
    bench.close();
  }

  private BatchRun judged(String host) {
    BatchRun run = bench.begin(host);
    bench.reach(run, JobStep.Health);
    assertThat(bench.offered(run)).containsExactly("Health " + host);
    return run;
  }

  private List<String> checks(String job) {
    ClaimResult.Granted claim = (ClaimResult.Granted) bench.claim(job);
    return Json.read(claim.job(), Job.class).getChecks();
  }

  @Test
  void namesWhatEveryPolicyOnTheHostWants() {
    bench.fleet.healthChecks =
        Map.of("web", Set.of("b", "a"), "ads", Set.of("c", "a"), "other", Set.of("d"));
    BatchRun run = bench.begin("h");
    bench.fleet.instance("ads", "h");
    bench.reach(run, JobStep.Health);
    assertThat(checks(rows.job(run.grant(), JobStep.Health))).containsExactly("a", "b", "c");
  }

  @Test
  void saysWhatPoliciesSayWhenItIsClaimed() {
    String job = rows.job(judged("h").grant(), JobStep.Health);
    bench.fleet.healthChecks = Map.of("web", Set.of("later"));
    assertThat(checks(job)).containsExactly("later");
  }

  @Test
  void anotherAttemptIsToldWhatPoliciesSayThen() {
    bench.fleet.healthChecks = Map.of("web", Set.of("before"));
    String job = rows.job(judged("h").grant(), JobStep.Health);
    assertThat(checks(job)).containsExactly("before");
    bench.fleet.workAsIf.givenBack(job);
    bench.fleet.healthChecks = Map.of("web", Set.of("since"));
    assertThat(checks(job)).containsExactly("since");
  }

  /** Who does not know one of them need not begin. */
  @Test
  void updateIsToldBeforeAnythingIsDone() {
    bench.fleet.healthChecks = Map.of("web", Set.of("a"));
    BatchRun run = bench.begin("h");
    bench.reach(run, JobStep.Update);
    assertThat(bench.offered(run)).containsExactly("Update h");
    assertThat(checks(rows.job(run.grant(), JobStep.Update))).containsExactly("a");
  }

  @Test
  void noOtherStepIsToldOfAny() {
    bench.fleet.healthChecks = Map.of("web", Set.of("a"));
    BatchRun run = bench.begin("h");
    bench.reach(run, JobStep.Cordon);
    assertThat(bench.offered(run)).containsExactly("Cordon h");
    assertThat(checks(rows.job(run.grant(), JobStep.Cordon))).isEmpty();
  }
}
