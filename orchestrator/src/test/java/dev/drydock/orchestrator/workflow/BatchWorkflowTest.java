package dev.drydock.orchestrator.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.activity.BatchRun;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.activity.Progress.Status;
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

  @Test
  void outlastsAnAbsenceOfPostgresql() {
    assertThat(run(new ScriptedBatch().failsAtFirst(5))).contains("end hold");
  }

  private List<String> run(ScriptedBatch batch) {
    flow.run(batch);
    return batch.asked();
  }
}
