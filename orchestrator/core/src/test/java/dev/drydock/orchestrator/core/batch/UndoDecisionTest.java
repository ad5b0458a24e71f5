package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What brings a host back to where it was before the batch. */
class UndoDecisionTest {
  private static final Optional<BatchJob> NONE = Optional.empty();

  @Test
  void leavesAHostAloneThatNobodyWasSentTo() {
    assertThat(undo(NONE, NONE)).isEqualTo(new UndoDecision.Nothing());
    assertThat(undo(cordon(JobStatus.CANCELLED, 0), NONE)).isEqualTo(new UndoDecision.Nothing());
  }

  @Test
  void liftsTheCordonOfAHostWhoseDrainNobodyBegan() {
    assertThat(undo(cordon(JobStatus.DONE, 1), drain(JobStatus.EXPIRED, 0)))
        .isEqualTo(new UndoDecision.By(Step.UNCORDON));
    assertThat(undo(cordon(JobStatus.FAILED, 2), NONE))
        .isEqualTo(new UndoDecision.By(Step.UNCORDON));
  }

  @Test
  void recoversAHostWhoseDrainBegan() {
    for (JobStatus end : List.of(JobStatus.DONE, JobStatus.FAILED)) {
      assertThat(undo(cordon(JobStatus.DONE, 1), drain(end, 1)))
          .isEqualTo(new UndoDecision.By(Step.RECOVER));
    }
  }

  @Test
  void undoesWhatMayHaveBegunWhenTheBoardCancelledItBetweenTwoConsumers() {
    assertThat(undo(cordon(JobStatus.DONE, 1), drain(JobStatus.CANCELLED, 1)))
        .isEqualTo(new UndoDecision.By(Step.RECOVER));
    assertThat(undo(cordon(JobStatus.DONE, 1), drain(JobStatus.CANCELLED, 0)))
        .isEqualTo(new UndoDecision.By(Step.UNCORDON));
    assertThat(undo(cordon(JobStatus.CANCELLED, 1), NONE))
        .isEqualTo(new UndoDecision.By(Step.UNCORDON));
  }

  @Test
  void neverTouchesAHostWhoseStateNobodyKnows() {
    assertThat(undo(cordon(JobStatus.DONE, 1), drain(JobStatus.UNKNOWN, 1)))
        .isInstanceOf(UndoDecision.Impossible.class);
    assertThat(undo(cordon(JobStatus.DONE, 1), drain(JobStatus.EXPIRED, 3)))
        .isInstanceOf(UndoDecision.Impossible.class);
    assertThat(undo(cordon(JobStatus.UNKNOWN, 1), NONE))
        .isInstanceOf(UndoDecision.Impossible.class);
  }

  @Test
  void bringsBackAHostWhoseUnknownStepBeganNothing() {
    JobBuilder cordon = JobBuilder.job(Step.CORDON, "h01").is(JobStatus.UNKNOWN, 1).begun(false);
    JobBuilder drain = JobBuilder.job(Step.DRAIN, "h01").is(JobStatus.UNKNOWN, 1).begun(false);
    assertThat(undo(Optional.of(cordon.build()), NONE)).isEqualTo(new UndoDecision.Nothing());
    assertThat(undo(cordon(JobStatus.DONE, 1), Optional.of(drain.build())))
        .as("its instances may be out of rotation")
        .isEqualTo(new UndoDecision.By(Step.RECOVER));
  }

  @Test
  void waitsForWhatIsStillRunning() {
    assertThat(undo(cordon(JobStatus.DONE, 1), drain(JobStatus.CLAIMED, 1)))
        .isEqualTo(new UndoDecision.NotYet());
    assertThat(undo(cordon(JobStatus.PENDING, 1), NONE)).isEqualTo(new UndoDecision.NotYet());
  }

  @Test
  void neverBringsAHostBackAsItWasThatSomebodyBeganToUpdate() {
    Optional<BatchJob> cordon = cordon(JobStatus.DONE, 1);
    Optional<BatchJob> drain = drain(JobStatus.DONE, 1);
    for (JobStatus end : List.of(JobStatus.DONE, JobStatus.FAILED, JobStatus.CANCELLED)) {
      assertThat(UndoDecision.of(cordon, drain, job(Step.UPDATE, end, 1), false))
          .isInstanceOf(UndoDecision.Impossible.class);
      assertThat(UndoDecision.of(cordon, drain, job(Step.UPDATE, end, 0), false))
          .isEqualTo(new UndoDecision.By(Step.RECOVER));
    }
    assertThat(UndoDecision.of(cordon, drain, job(Step.UPDATE, JobStatus.CLAIMED, 1), false))
        .isEqualTo(new UndoDecision.NotYet());
  }

  /** The later step is undone first: its undo includes that of the earlier one. */
  @Test
  void anUnknownCordonDoesNotKeepAHostThatWasDrainedFromBeingRecovered() {
    assertThat(undo(cordon(JobStatus.UNKNOWN, 1), drain(JobStatus.DONE, 1)))
        .isEqualTo(new UndoDecision.By(Step.RECOVER));
    assertThat(undo(cordon(JobStatus.UNKNOWN, 1), drain(JobStatus.CANCELLED, 0)))
        .isInstanceOf(UndoDecision.Impossible.class);
  }

  @Test
  void saysWhyAHostCannotGoBack() {
    assertThat(UndoDecision.of(NONE, NONE, job(Step.UPDATE, JobStatus.DONE, 1), false))
        .isEqualTo(
            new UndoDecision.Impossible("it cannot go back: somebody was given an update of it"));
    assertThat(undo(NONE, drain(JobStatus.EXPIRED, 1)))
        .isEqualTo(
            new UndoDecision.Impossible(
                "Drain: every consumer of job g1.Drain.h01.1 fell silent, the state of h01 is"
                    + " unknown"));
  }

  private static UndoDecision undo(Optional<BatchJob> cordon, Optional<BatchJob> drain) {
    return UndoDecision.of(cordon, drain, NONE, false);
  }

  private static Optional<BatchJob> cordon(JobStatus state, int attempt) {
    return job(Step.CORDON, state, attempt);
  }

  private static Optional<BatchJob> drain(JobStatus state, int attempt) {
    return job(Step.DRAIN, state, attempt);
  }

  private static Optional<BatchJob> job(Step step, JobStatus state, int attempt) {
    return Optional.of(JobBuilder.job(step, "h01").is(state, attempt).build());
  }
}
