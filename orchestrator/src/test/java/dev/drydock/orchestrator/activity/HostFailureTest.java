package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.api.BlockedBatchAnswer;
import dev.drydock.api.BlockedBatchState;
import dev.drydock.api.JobOutcome;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.blocked.BlockedQuestions;
import dev.drydock.orchestrator.control.Command;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Batches of several hosts of which one fails, phase by phase on a real PostgreSQL. */
@Tag("stack")
class HostFailureTest {
  private HookBench bench;

  @BeforeEach
  void start() {
    bench = new HookBench();
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  /** A batch of two of which the first fails in the phase. */
  private BatchRun failing(OnHostFailure policy, Phase phase, String job, JobOutcome outcome) {
    bench.fleet.onHostFailure = policy;
    BatchRun run = bench.begin("a1", "a2");
    if (phase != Phase.FREEZE) {
      bench.reach(run, Phase.forward().get(Phase.forward().indexOf(phase) - 1));
    }
    bench.pursue(run, phase);
    bench.end(run.grant() + "." + job.replace("#", "a1"), outcome);
    bench.end(run.grant() + "." + job.replace("#", "a2"), JobOutcome.Done);
    return run;
  }

  private BatchRun frozen(OnHostFailure policy) {
    return failing(policy, Phase.FREEZE, "Freeze.#.1", JobOutcome.Failed);
  }

  private BatchRun updated(OnHostFailure policy, JobOutcome outcome) {
    return failing(policy, Phase.UPDATE, "Update.#.3", outcome);
  }

  private void answer(BatchRun run, BlockedBatchAnswer answer) {
    new BlockedQuestions(bench.jdbi()).answer(HookBench.ANYBODY, run.grant() + ".1", answer, "");
  }

  private String hosts() {
    return bench.fleet.value(
        "SELECT string_agg(host || ' ' || state, ', ' ORDER BY host) FROM host_upgrades");
  }

  @Test
  void allGoBackUnlessPoliciesSayOtherwise() {
    assertThat(bench.pursue(frozen(OnHostFailure.ABORT), Phase.FREEZE))
        .isEqualTo(new Progress(Status.FAILED, "Freeze: said Failed"));
  }

  @Test
  void theOthersGoOnWithoutIt() {
    BatchRun run = frozen(OnHostFailure.GO_ON);
    assertThat(bench.pursue(run, Phase.FREEZE).status()).isEqualTo(Status.ASIDE);
    assertThat(bench.pursue(run, Phase.FREEZE).status()).as("once more").isEqualTo(Status.ASIDE);
    assertThat(bench.fleet.activities.quarantine(run, Phase.FREEZE)).isEqualTo(1);
    assertThat(bench.reach(run, Phase.RECOVER).status()).isEqualTo(Status.DONE);
    bench.fleet.activities.recordEnd(run);
    assertThat(hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
  }

  @Test
  void withoutOthersThereIsNothingToGoOnWith() {
    bench.fleet.onHostFailure = OnHostFailure.GO_ON;
    BatchRun run = bench.begin("b1");
    bench.pursue(run, Phase.FREEZE);
    bench.end(run.grant() + ".Freeze.b1.1", JobOutcome.Failed);
    assertThat(bench.pursue(run, Phase.FREEZE).status()).isEqualTo(Status.FAILED);
  }

  @Test
  void whatPoliciesSayWhenTheBatchBeginsHolds() {
    BatchRun run = frozen(OnHostFailure.GO_ON);
    bench.fleet.onHostFailure = OnHostFailure.ABORT;
    BatchRun later = bench.fleet.activities.begin(run.grant(), "another");
    assertThat(bench.pursue(later, Phase.FREEZE).status()).isEqualTo(Status.ASIDE);
  }

  @Test
  void aHeldBatchTriesAgainInANewRoundWhenPeopleSaySo() {
    BatchRun run = updated(OnHostFailure.HOLD, JobOutcome.Failed);
    assertThat(bench.pursue(run, Phase.UPDATE).status()).isEqualTo(Status.WAITING);
    assertThat(bench.offered(run)).isEmpty();
    answer(run, BlockedBatchAnswer.Retry);
    bench.pursue(run, Phase.UPDATE);
    assertThat(bench.fleet.value("SELECT id FROM jobs WHERE state = 'Pending'"))
        .isEqualTo(run.grant() + ".Update.a1.4");
    assertThat(bench.pass(run, Phase.UPDATE).status()).isEqualTo(Status.DONE);
    assertThat(bench.reach(run, Phase.RECOVER).status()).isEqualTo(Status.DONE);
    bench.fleet.activities.recordEnd(run);
    assertThat(hosts()).isEqualTo("a1 Upgraded, a2 Upgraded");
  }

  @Test
  void aHeldBatchGoesOnWithoutTheHostWhenPeopleSaySo() {
    BatchRun run = updated(OnHostFailure.HOLD, JobOutcome.Unknown);
    bench.pursue(run, Phase.UPDATE);
    answer(run, BlockedBatchAnswer.GoOn);
    assertThat(bench.pursue(run, Phase.UPDATE).status()).isEqualTo(Status.ASIDE);
    assertThat(bench.fleet.activities.quarantine(run, Phase.UPDATE)).isEqualTo(1);
  }

  @Test
  void aHeldBatchGoesBackWhenPeopleSaySo() {
    BatchRun run = frozen(OnHostFailure.HOLD);
    bench.pursue(run, Phase.FREEZE);
    answer(run, BlockedBatchAnswer.Abort);
    assertThat(bench.pursue(run, Phase.FREEZE))
        .isEqualTo(new Progress(Status.FAILED, "Freeze: said Failed; Abort by any"));
  }

  /** The second Freeze was cancelled untouched; the first had touched the host. */
  @Test
  void theWayBackFromASecondRoundLiftsWhatTheFirstFroze() {
    BatchRun run = frozen(OnHostFailure.HOLD);
    bench.pursue(run, Phase.FREEZE);
    answer(run, BlockedBatchAnswer.Retry);
    bench.pursue(run, Phase.FREEZE);
    assertThat(bench.offered(run)).containsExactly("Freeze a1");
    bench.back(run, new Progress(Status.FAILED, "aborted"));
    assertThatThrownBy(() -> bench.fleet.activities.recordEnd(run))
        .hasMessageContaining("Unfreeze of a1 is not done");
    bench.pursue(run, Phase.UNDO);
    assertThat(bench.offered(run)).containsExactlyInAnyOrder("Unfreeze a1", "Unfreeze a2");
    assertThat(bench.pass(run, Phase.UNDO).status()).isEqualTo(Status.DONE);
    bench.fleet.activities.recordEnd(run);
    assertThat(hosts()).isEqualTo("a1 Reverted, a2 Reverted");
  }

  @Test
  void impossibleAnswersAreRefusedWithTheReason() {
    BatchRun run = updated(OnHostFailure.HOLD, JobOutcome.Unknown);
    bench.pursue(run, Phase.UPDATE);
    assertThatThrownBy(() -> answer(run, BlockedBatchAnswer.Abort))
        .hasMessageContaining("there is no way back any more; nothing was changed");
    assertThatThrownBy(() -> answer(run, BlockedBatchAnswer.Retry))
        .hasMessageContaining("the state of a1 is unknown");
    answer(run, BlockedBatchAnswer.GoOn);
    assertThatThrownBy(() -> answer(run, BlockedBatchAnswer.GoOn))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("was decided already: GoOn by any");
  }

  @Test
  void anOwnerOfNothingThereHasNoSay() {
    BatchRun run = frozen(OnHostFailure.HOLD);
    bench.pursue(run, Phase.FREEZE);
    Principal eve = new Principal("eve", "ads", Role.OWNER, Set.of());
    assertThatThrownBy(
            () ->
                new BlockedQuestions(bench.jdbi())
                    .answer(eve, run.grant() + ".1", BlockedBatchAnswer.Retry, ""))
        .hasMessageContaining("nothing of team ads runs on [a1]");
  }

  @Test
  @Shows(of = BlockedBatchState.class, states = "Open", exit = Exit.ABORT, end = "Over")
  void aQuestionIsOverWhenItsRolloutIsAborted() {
    BatchRun run = frozen(OnHostFailure.HOLD);
    assertThat(bench.pursue(run, Phase.FREEZE).status()).isEqualTo(Status.WAITING);
    new RolloutControl(bench.jdbi())
        .command(
            HookBench.ANYBODY, bench.fleet.value("SELECT id FROM rollouts"), Command.ABORT, "");
    assertThatThrownBy(() -> answer(run, BlockedBatchAnswer.Retry)).hasMessageContaining("is over");
  }

  @Test
  @Shows(of = BlockedBatchState.class, states = "Open", exit = Exit.CRASH, end = "Answered")
  void anotherRunFindsWhatWasAsked() {
    BatchRun run = frozen(OnHostFailure.HOLD);
    bench.pursue(run, Phase.FREEZE);
    BatchRun later = bench.fleet.activities.begin(run.grant(), "another");
    assertThat(bench.pursue(later, Phase.FREEZE).status()).isEqualTo(Status.WAITING);
    answer(later, BlockedBatchAnswer.Abort);
    assertThat(bench.pursue(later, Phase.FREEZE).status()).isEqualTo(Status.FAILED);
    assertThat(bench.fleet.value("SELECT decision FROM blocked_batches")).isEqualTo("Abort");
  }

  @Test
  void aQuestionIsOverWhenItsBatchTurnsBack() {
    BatchRun run = frozen(OnHostFailure.HOLD);
    bench.pursue(run, Phase.FREEZE);
    bench.back(run, new Progress(Status.FAILED, "aborted"));
    assertThatThrownBy(() -> answer(run, BlockedBatchAnswer.Retry))
        .hasMessageContaining("is over: its batch went back or ended (Reverted)");
  }
}
