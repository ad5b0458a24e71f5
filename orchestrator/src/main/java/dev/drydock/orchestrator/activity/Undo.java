package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.JobRow;
import java.util.Optional;

/**
 * What brings one host back to where it was before the batch, decided from what consumers were
 * given. Pure.
 *
 * <p>Properties: a host nobody was sent to is left alone, and so is one whose state is unknown
 * (protocol P9); one that somebody was sent to update is not as it was, and serves only after its
 * health was judged (I5), which nobody does on the way back.
 */
sealed interface Undo {

  /** Nobody was sent to the host. */
  record Nothing() implements Undo {}

  /** A forward job has not ended yet. */
  record NotYet() implements Undo {}

  /** This job brings it back. */
  record By(JobStep step) implements Undo {}

  /** Its state is unknown; nothing may be done to it. */
  record Impossible(String reason) implements Undo {}

  /** Decides, from the last job of each step that anybody was given or may still be. */
  static Undo of(Optional<JobRow> freeze, Optional<JobRow> drain, Optional<JobRow> update) {
    if (live(freeze) || live(drain) || live(update)) {
      return new NotYet();
    }
    if (given(update)) {
      return new Impossible("it cannot go back: somebody was given an update of it");
    }
    if (drain.isPresent() && drain.get().lost()) {
      return new Impossible(drain.get().failure());
    }
    if (given(drain)) {
      return new By(JobStep.Recover);
    }
    if (freeze.isPresent() && freeze.get().lost()) {
      return new Impossible(freeze.get().failure());
    }
    return given(freeze) ? new By(JobStep.Unfreeze) : new Nothing();
  }

  private static boolean live(Optional<JobRow> job) {
    return job.isPresent() && !job.get().ended();
  }

  /** Then the step may have begun, also when the board cancelled it between two consumers. */
  private static boolean given(Optional<JobRow> job) {
    return job.isPresent() && job.get().attempt() > 0;
  }
}
