package dev.drydock.orchestrator.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.DecisionOption;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.OutcomeRows;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rows of batches with hooks, from their beginning to their end on a real PostgreSQL. */
@Tag("stack")
class HookedBatchTest {
  private static final PolicyHook MOVE =
      HookBench.pre("move", Stage.BEFORE_UNDEPLOY, Scope.INSTANCE, 1);
  private static final PolicyHook TELL =
      HookBench.pre("tell", Stage.BEFORE_UNDEPLOY, Scope.HOST, 2);
  private static final PolicyHook FENCE =
      HookBench.pre("fence", Stage.AFTER_UNDEPLOY, Scope.BATCH, 0);

  private final HookBench bench = new HookBench(UnaryOperator.identity());
  private final OutcomeRows rows = new OutcomeRows(bench.fleet);

  @BeforeEach
  void start() {
    bench.wants(
        MOVE, TELL, FENCE, HookBench.post(MOVE), HookBench.post(TELL), HookBench.post(FENCE));
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  @Test
  void runInTheirStagesAndOrdersAndBackInTheMirroredOrder() {
    BatchRun run = bench.begin("a1", "a2");
    bench.finish(run);
    assertThat(bench.done(run))
        .containsExactly(
            "Cordon a1",
            "Cordon a2",
            "Hook move web@a1",
            "Hook move web@a2",
            "Hook tell a1",
            "Hook tell a2",
            "Drain a1",
            "Drain a2",
            "Hook fence",
            "Update a1",
            "Update a2",
            "Health a1",
            "Health a2",
            "Hook fence",
            "Recover a1",
            "Recover a2",
            "Hook tell a1",
            "Hook tell a2",
            "Hook move web@a1",
            "Hook move web@a2");
    assertThat(rows.host("a1")).isEqualTo("Upgraded: ");
  }

  @Test
  void aPolicyThatChangesInTheMiddleChangesNothing() {
    BatchRun run = bench.begin("e1");
    bench.reach(run, JobStep.Hook);
    bench.fleet.wanted = List.of();
    bench.finish(run);
    assertThat(bench.done(run)).endsWith("Hook tell e1", "Hook move web@e1");
  }

  @Test
  void aVetoTurnsTheBatchBackAndTellsEachHookWhatItKept() {
    BatchRun run = bench.begin("f1", "f2");
    bench.reach(run, JobStep.Hook);
    assertThat(rows.step("f1")).isEqualTo("BeforeUndeploy: move");
    bench.end(
        bench.job(run, "move", "web@f1"),
        new JobResult().setOutcome(JobOutcome.Done).setMessage("moved").setState("leaders: 3"));
    bench.end(
        bench.job(run, "move", "web@f2"),
        new JobResult().setOutcome(JobOutcome.Veto).setMessage("no replica is in sync"));
    bench.finish(run);
    assertThat(bench.done(run))
        .endsWith("Uncordon f1", "Uncordon f2", "Unhook move web@f1", "Unhook move web@f2")
        .doesNotContain("Unhook tell f1");
    assertThat(rows.kept()).isEqualTo("leaders: 3, none");
    assertThat(rows.host("f1"))
        .isEqualTo("Pending: BeforeUndeploy: move of instance web@f2: no replica is in sync");
    assertThat(rows.told("BatchTurnedBack")).isEqualTo(1);
  }

  @Test
  void aPostHookThatFailsBlocksUntilPeopleSayWhatIsDone() {
    BatchRun run = bench.begin("l1");
    bench.until(run, () -> bench.done(run).contains("Recover l1"));
    bench.drive(run);
    bench.end(bench.job(run, "tell", "l1"), JobOutcome.Failed);
    String question = run.grant() + ".1";
    assertThat(rows.host("l1"))
        .isEqualTo(
            "InProgress: AfterDeploy: tell of host l1: said Failed; drydock decision answer "
                + question);
    bench.fleet.decisions.answer(HookBench.ANYBODY, question, DecisionOption.Retry, "");
    assertThat(bench.offered(run)).containsExactly("Hook tell l1");
    bench.finish(run);
    assertThat(rows.host("l1")).isEqualTo("Upgraded: ");
  }

  /** Rows of the hooks say where the batch is. */
  @Test
  void aLaterRunGoesOnWhereTheRowsSayItIs() {
    BatchRun run = bench.begin("p1");
    bench.reach(run, JobStep.Hook);
    BatchRun later = bench.fleet.driver.begin(run.grant(), "another");
    bench.finish(later);
    assertThat(bench.done(later)).filteredOn("Hook move web@p1"::equals).hasSize(2);
    assertThat(rows.host("p1")).isEqualTo("Upgraded: ");
  }
}
