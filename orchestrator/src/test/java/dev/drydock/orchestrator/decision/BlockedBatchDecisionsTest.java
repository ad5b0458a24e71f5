package dev.drydock.orchestrator.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.api.DecisionOption;
import dev.drydock.api.DecisionState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.control.RolloutCommand;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.OutcomeRows;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One of two hosts of a batch failed. People are asked about it and answer; on a real PostgreSQL.
 */
@Tag("stack")
class BlockedBatchDecisionsTest {
  private final HookBench bench = new HookBench(UnaryOperator.identity());
  private final OutcomeRows rows = new OutcomeRows(bench.fleet);

  @AfterEach
  void stop() {
    bench.close();
  }

  /** The step ends so on a1, which is diagnosed after its update, and well on a2. */
  private BatchRun failing(OnHostFailure policy, JobStep step, int round, JobOutcome outcome) {
    bench.fleet.onHostFailure = policy;
    BatchRun run = bench.begin("a1", "a2");
    bench.reach(run, step);
    bench.end("%s.%s.a1.%d".formatted(run.grant(), step, round), outcome);
    bench.end("%s.%s.a2.%d".formatted(run.grant(), step, round), JobOutcome.Done);
    if (step == JobStep.Update) {
      bench.diagnosed(run);
    }
    return run;
  }

  private BatchRun cordoned() {
    return failing(OnHostFailure.ASK, JobStep.Cordon, 1, JobOutcome.Failed);
  }

  private void answer(BatchRun run, DecisionOption answer) {
    answer(HookBench.ANYBODY, run, answer);
  }

  private void answer(Principal by, BatchRun run, DecisionOption answer) {
    bench.fleet.decisions.answer(by, run.grant() + ".1", answer, "");
  }

  @Test
  void anAnswerMovesTheBatchAtOnce() {
    BatchRun run = failing(OnHostFailure.ASK, JobStep.Update, 3, JobOutcome.Failed);
    assertThat(bench.offered(run)).isEmpty();
    answer(run, DecisionOption.Retry);
    assertThat(bench.only(run)).isEqualTo(run.grant() + ".Update.a1.5");
    bench.finish(run);
    assertThat(rows.hosts()).isEqualTo("a1 Upgraded, a2 Upgraded");
  }

  @Test
  void whatPoliciesSayWhenTheBatchBeginsHolds() {
    bench.fleet.onHostFailure = OnHostFailure.GO_ON;
    BatchRun run = bench.begin("a1", "a2");
    bench.fleet.onHostFailure = OnHostFailure.ABORT;
    bench.reach(run, JobStep.Cordon);
    bench.end(run.grant() + ".Cordon.a1.1", JobOutcome.Failed);
    bench.finish(bench.fleet.driver.begin(run.grant(), "another"));
    assertThat(rows.hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
    assertThat(rows.host("a1")).isEqualTo("Quarantined: Cordon: said Failed; GoOn by policy");
  }

  @Test
  void impossibleAnswersAreRefusedWithTheReason() {
    BatchRun run = failing(OnHostFailure.ASK, JobStep.Update, 3, JobOutcome.Unknown);
    assertThatThrownBy(() -> answer(run, DecisionOption.Abort))
        .hasMessageContaining("there is no way back any more; nothing was changed");
    assertThatThrownBy(() -> answer(run, DecisionOption.Retry))
        .hasMessageContaining("the state of a1 is unknown");
    answer(run, DecisionOption.GoOn);
    answer(run, DecisionOption.GoOn);
    assertThatThrownBy(() -> answer(run, DecisionOption.Retry))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("was decided already: GoOn by any");
    assertThatThrownBy(() -> answer(run, DecisionOption.Approve))
        .hasMessageContaining("was decided already");
    bench.finish(run);
    assertThat(rows.hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
  }

  @Test
  void anOwnerOfNothingThereHasNoSay() {
    BatchRun run = cordoned();
    Principal eve = new Principal("eve", "ads", Role.OWNER, Set.of());
    assertThatThrownBy(() -> answer(eve, run, DecisionOption.Retry))
        .hasMessageContaining("nothing of team ads runs on [a1]");
  }

  @Test
  @Shows(of = DecisionState.class, states = "Open", exit = Exit.ABORT, end = "Over")
  void aQuestionIsOverWhenItsRolloutIsAborted() {
    BatchRun run = cordoned();
    new RolloutControl(bench.jdbi(), bench.fleet.onward)
        .command(HookBench.ANYBODY, "r-a1", RolloutCommand.ABORT, "");
    assertThatThrownBy(() -> answer(run, DecisionOption.Retry)).hasMessageContaining("is over");
    bench.finish(run);
    assertThat(rows.hosts()).isEqualTo("a1 Cancelled, a2 Cancelled");
  }

  @Test
  @Shows(of = DecisionState.class, states = "Open", exit = Exit.CRASH, end = "Answered")
  void anotherRunFindsWhatWasAsked() {
    BatchRun run = cordoned();
    BatchRun later = bench.fleet.driver.begin(run.grant(), "another");
    assertThat(bench.drive(later).ended()).isFalse();
    answer(later, DecisionOption.Abort);
    assertThat(rows.decision()).isEqualTo("Abort");
    bench.finish(later);
    assertThat(rows.hosts()).isEqualTo("a1 Reverted, a2 Reverted");
    assertThat(rows.host("a1")).isEqualTo("Reverted: Cordon: said Failed; Abort by any");
  }
}
