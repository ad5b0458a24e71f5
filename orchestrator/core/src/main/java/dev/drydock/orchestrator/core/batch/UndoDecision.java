package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Step;
import java.util.Optional;

/**
 * What brings one host back to where it was before the batch, decided from what consumers were
 * given.
 *
 * <p>Properties: a host that nobody was sent to is left alone, and so is a host whose state is
 * unknown (protocol P9). A host that somebody was sent to update is not as it was. It serves only
 * after its health was judged (I5), and nobody does that on the way back.
 */
sealed interface UndoDecision {

  /** Nobody was sent to the host. */
  record Nothing() implements UndoDecision {}

  /** A forward job has not ended yet. */
  record NotYet() implements UndoDecision {}

  /** This step brings it back. */
  record By(Step step) implements UndoDecision {}

  /** Its state is unknown; nothing may be done to it. */
  record Impossible(String reason) implements UndoDecision {}

  /**
   * Decides, from the last job of each step that anybody was given or still may be.
   *
   * @param update without one that began nothing
   * @param read whether the host was read since, and so is known
   */
  static UndoDecision of(
      Optional<BatchJob> cordon,
      Optional<BatchJob> drain,
      Optional<BatchJob> update,
      boolean read) {
    if (live(cordon) || live(drain) || live(update)) {
      return new NotYet();
    }
    if (given(update)) {
      return new Impossible("it cannot go back: somebody was given an update of it");
    }
    if (!read && drain.filter(BatchJob::lost).isPresent()) {
      return new Impossible(drain.get().failure());
    }
    if (drain.filter(BatchJob::given).isPresent()) {
      return new By(Step.RECOVER);
    }
    if (!read && cordon.filter(BatchJob::lost).isPresent()) {
      return new Impossible(cordon.get().failure());
    }
    return given(cordon) ? new By(Step.UNCORDON) : new Nothing();
  }

  private static boolean live(Optional<BatchJob> job) {
    return job.filter(one -> !one.ended()).isPresent();
  }

  /** Then the step may have begun, also if the board cancelled it between two consumers. */
  private static boolean given(Optional<BatchJob> job) {
    return job.filter(one -> one.given() && !one.untouched()).isPresent();
  }
}
