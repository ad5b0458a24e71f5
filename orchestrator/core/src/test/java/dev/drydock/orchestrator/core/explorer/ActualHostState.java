package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;

/**
 * What is true of a host, whatever rows say, as bits of a number. A step that a consumer was given
 * may have had its effect from then on: so it does not matter when it has it.
 */
final class ActualHostState {
  /** Placement may be stopped there. */
  static final int CORDONED = 1;

  /** Something may be stopped there that is to run. */
  static final int STOPPED = 1 << 1;

  /** It was changed and not found to be healthy since. */
  static final int CHANGED = 1 << 2;

  /** A consumer was given an Update of it. */
  static final int UPDATED = 1 << 3;

  /** It is on the release of the rollout. */
  static final int ON_RELEASE = 1 << 4;

  /** It was taken back to the release before. */
  static final int TAKEN_BACK = 1 << 5;

  /** A consumer was given something that changes it. */
  static final int TOUCHED = 1 << 6;

  /** Nobody knows what became of the last thing done to it. */
  static final int UNKNOWN = 1 << 7;

  private ActualHostState() {}

  static boolean is(int truth, int bits) {
    return (truth & bits) == bits;
  }

  static boolean any(int truth, int bits) {
    return (truth & bits) != 0;
  }

  /** Once a consumer was given the job. */
  static int given(int truth, BatchJob batchJob) {
    return switch (batchJob.step()) {
      case CORDON -> truth | CORDONED | TOUCHED;
      case DRAIN -> truth | STOPPED | TOUCHED;
      case UPDATE -> (truth | UPDATED | CHANGED | TOUCHED) & ~(ON_RELEASE | TAKEN_BACK);
      case REPAIR -> batchJob.reads() ? truth : truth | CHANGED | TOUCHED;
      case RECOVER, UNCORDON -> truth | TOUCHED;
      case VERIFY, HEALTH, HOOK, UNHOOK -> truth;
    };
  }

  /**
   * Once the job, which was given, has ended so.
   *
   * @param back whether it was about the release before
   */
  static int ended(int truth, BatchJob batchJob, JobStatus how, boolean back) {
    boolean hook = batchJob.step() == Step.HOOK || batchJob.step() == Step.UNHOOK;
    if (how == JobStatus.UNKNOWN || how == JobStatus.EXPIRED) {
      return hook || batchJob.reads() ? truth : truth | UNKNOWN;
    }
    if (how != JobStatus.DONE) {
      // Who says Failed has read the host back.
      return hook ? truth : truth & ~UNKNOWN;
    }
    int known = hook ? truth : truth & ~UNKNOWN;
    return switch (batchJob.step()) {
      case VERIFY, UPDATE -> known | (back ? TAKEN_BACK : ON_RELEASE);
      case HEALTH -> known & ~CHANGED;
      case RECOVER -> known & ~(STOPPED | CORDONED);
      case UNCORDON -> known & ~CORDONED;
      case CORDON, HOOK, DRAIN, REPAIR, UNHOOK -> known;
    };
  }

  /** Once it turned out that the job, the first of its step, began nothing. */
  static int untouched(int truth, BatchJob batchJob) {
    return switch (batchJob.step()) {
      case CORDON -> truth & ~(CORDONED | TOUCHED);
      case DRAIN -> truth & ~STOPPED;
      case UPDATE -> truth & ~(UPDATED | CHANGED);
      // The read tells that the Update, whose result was lost, began nothing.
      case VERIFY -> truth & ~(UPDATED | CHANGED | UNKNOWN);
      case HEALTH, RECOVER, UNCORDON, HOOK, REPAIR, UNHOOK ->
          throw new IllegalArgumentException(batchJob.id());
    };
  }
}
