package dev.drydock.orchestrator.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.orchestrator.activity.BatchRun;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.activity.Progress.Status;
import io.temporal.client.WorkflowFailedException;
import io.temporal.client.WorkflowStub;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order of a batch's steps, each from the history alone. */
@Timeout(60)
class BatchWorkflowTest {
  private final Flow flow = new Flow();

  @AfterEach
  void stop() {
    flow.close();
  }

  @Test
  void goesForwardThroughThePhasesAndEndsTheHoldLast() {
    assertThat(run(new ScriptedBatch()))
        .containsExactly(
            "begin g1",
            "VERIFY",
            "FREEZE",
            "CONFIRM",
            "OPEN",
            "DRAIN",
            "UPDATE",
            "HEALTH",
            "RECOVER",
            "record end",
            "end hold");
  }

  @Test
  void aBatchWithHooksGoesThroughTheirStagesAsWell() {
    assertThat(run(new ScriptedBatch().hooked()))
        .containsExactly(
            "begin g1",
            "VERIFY",
            "FREEZE",
            "CONFIRM",
            "BEFORE_UNDEPLOY",
            "OPEN",
            "DRAIN",
            "AFTER_UNDEPLOY",
            "UPDATE",
            "HEALTH",
            "BEFORE_DEPLOY",
            "RECOVER",
            "AFTER_DEPLOY",
            "record end",
            "end hold");
  }

  @Test
  void aVetoTurnsTheBatchBack() {
    assertThat(run(new ScriptedBatch().hooked().answer(Phase.BEFORE_UNDEPLOY, Status.HELD)))
        .containsSequence(
            "BEFORE_UNDEPLOY", "turn back: BEFORE_UNDEPLOY said HELD", "UNDO", "record end")
        .doesNotContain("OPEN");
  }

  @Test
  void aPostHookThatStaysFailedQuarantinesItsHosts() {
    ScriptedBatch batch =
        new ScriptedBatch().hooked().answer(Phase.AFTER_DEPLOY, Status.ASIDE).quarantineLeaves(0);
    assertThat(run(batch))
        .containsSequence("AFTER_DEPLOY", "quarantine AFTER_DEPLOY", "record end", "end hold");
  }

  @Test
  void aBatchWhoseHostsAreAtTheReleaseEndsWithoutTouchingThem() {
    ScriptedBatch batch = new ScriptedBatch().answer(Phase.VERIFY, Status.WAITING, Status.NEEDLESS);
    assertThat(run(batch))
        .containsExactly("begin g1", "VERIFY", "VERIFY", "record end", "end hold");
  }

  @Test
  void aBatchWhoseHostsCannotBeReadGoesBack() {
    assertThat(run(new ScriptedBatch().answer(Phase.VERIFY, Status.FAILED)))
        .containsSequence("VERIFY", "turn back: VERIFY said FAILED", "UNDO", "record end");
  }

  @Test
  void aReclaimedBatchReadsItsHostsAndSendsBackThoseThatWereNotUpdated() {
    ScriptedBatch batch =
        new ScriptedBatch()
            .begins(new BatchRun("g1", 2, false, false, true))
            .answer(Phase.RECLAIM, Status.WAITING, Status.BROKEN, Status.HELD);
    assertThat(run(batch))
        .containsExactly(
            "begin g1",
            "RECLAIM",
            "RECLAIM",
            "quarantine RECLAIM",
            "RECLAIM",
            "turn back: RECLAIM said HELD",
            "UNDO",
            "record end",
            "end hold");
  }

  @Test
  void aReclaimedBatchWhoseHostsAreAllBackOrQuarantinedEnds() {
    ScriptedBatch reclaimed =
        new ScriptedBatch()
            .begins(new BatchRun("g1", 2, false, false, true))
            .answer(Phase.RECLAIM, Status.NEEDLESS);
    assertThat(run(reclaimed)).containsExactly("begin g1", "RECLAIM", "record end", "end hold");
  }

  @Test
  void looksAgainWithoutAnyWakeUp() {
    ScriptedBatch batch =
        new ScriptedBatch().answer(Phase.DRAIN, Status.WAITING, Status.WAITING, Status.DONE);
    assertThat(run(batch)).containsSequence("OPEN", "DRAIN", "DRAIN", "DRAIN", "UPDATE");
  }

  @Test
  void aWakeUpMakesItLookAtOnce() throws Exception {
    ScriptedBatch batch =
        new ScriptedBatch().answer(Phase.UPDATE, Status.WAITING, Status.WAITING, Status.DONE);
    BatchWorkflow workflow = flow.start(batch);
    assertThat(batch.waited()).isTrue();
    long before = flow.now();
    workflow.wake("g1.Update.h01.1");
    workflow.wake("g1.Update.h01.1");
    WorkflowStub.fromTyped(workflow).getResult(20, TimeUnit.SECONDS, Void.class);
    assertThat(Duration.ofMillis(flow.now() - before))
        .isLessThan(BatchWorkflowImpl.LOOK_AGAIN.multipliedBy(2));
    assertThat(batch.asked()).contains("end hold");
  }

  @Test
  void aHeldBatchIsUndoneVerifiedAndThenEnded() {
    ScriptedBatch batch =
        new ScriptedBatch()
            .answer(Phase.OPEN, Status.WAITING, Status.HELD)
            .answer(Phase.UNDO, Status.WAITING, Status.DONE);
    assertThat(run(batch))
        .containsExactly(
            "begin g1",
            "VERIFY",
            "FREEZE",
            "CONFIRM",
            "OPEN",
            "OPEN",
            "turn back: OPEN said HELD",
            "UNDO",
            "UNDO",
            "record end",
            "end hold");
  }

  @Test
  void aFailedDrainIsUndone() {
    assertThat(run(new ScriptedBatch().answer(Phase.DRAIN, Status.FAILED)))
        .containsSequence("DRAIN", "turn back: DRAIN said FAILED", "UNDO", "record end", "end hold")
        .doesNotContain("UPDATE", "RECOVER");
  }

  @Test
  void anUnknownDrainTurnsBackAndQuarantinesWhatTheUndoCannotReach() {
    ScriptedBatch batch =
        new ScriptedBatch().answer(Phase.DRAIN, Status.BROKEN).answer(Phase.UNDO, Status.BROKEN);
    assertThat(run(batch))
        .containsSequence(
            "DRAIN", "turn back: DRAIN said BROKEN", "UNDO", "quarantine UNDO", "record end");
  }

  @Test
  void aBrokenUpdateIsQuarantinedAndNeverRecovered() {
    ScriptedBatch batch =
        new ScriptedBatch().answer(Phase.UPDATE, Status.BROKEN).quarantineLeaves(0);
    assertThat(run(batch))
        .containsSequence("UPDATE", "quarantine UPDATE", "record end", "end hold")
        .doesNotContain("HEALTH", "RECOVER", "UNDO");
  }

  @Test
  void hostsThatAreKeptAsideLeaveTheBatchAndTheOthersGoOn() {
    ScriptedBatch batch =
        new ScriptedBatch().answer(Phase.DRAIN, Status.WAITING, Status.ASIDE).quarantineLeaves(2);
    assertThat(run(batch)).containsSequence("DRAIN", "DRAIN", "quarantine DRAIN", "UPDATE");
  }

  @Test
  void theOtherHostsOfABrokenBatchGoOn() {
    ScriptedBatch batch =
        new ScriptedBatch().answer(Phase.HEALTH, Status.BROKEN).quarantineLeaves(2);
    assertThat(run(batch)).containsSequence("HEALTH", "quarantine HEALTH", "RECOVER", "record end");
  }

  @Test
  void aRunThatFindsTheBatchTurnedBackOnlyUndoes() {
    ScriptedBatch batch = new ScriptedBatch().begins(new BatchRun("g1", 2, false, true, false));
    assertThat(run(batch)).containsExactly("begin g1", "UNDO", "record end", "end hold");
  }

  @Test
  void anEndedGrantStartsNothing() {
    ScriptedBatch batch = new ScriptedBatch().begins(new BatchRun("g1", 2, true, false, false));
    assertThat(run(batch)).containsExactly("begin g1", "end hold");
  }

  /** Nothing is the matter with a batch because nobody can read its rows. */
  @Test
  void outlastsADayWithoutPostgresql() {
    ScriptedBatch batch = new ScriptedBatch();
    long before = flow.now();
    batch.failsWhile(() -> flow.now() < before + Duration.ofDays(1).toMillis());
    assertThat(run(batch)).startsWith("begin g1").endsWith("end hold");
    assertThat(flow.events()).as("Temporal keeps 51,200 of a history").isLessThan(12_000);
  }

  /** The control: what trying again cannot help ends the run at its first try. */
  @Test
  void aRunThatAnotherTookOverFailsAtOnce() {
    ScriptedBatch batch = new ScriptedBatch().takenOver();
    assertThatThrownBy(() -> run(batch)).isInstanceOf(WorkflowFailedException.class);
    assertThat(batch.asked()).containsExactly("begin g1", "VERIFY");
  }

  private List<String> run(ScriptedBatch batch) {
    flow.run(batch);
    return batch.asked();
  }
}
