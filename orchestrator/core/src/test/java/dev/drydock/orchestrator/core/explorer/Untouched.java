package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.Step;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What consumers truthfully say of whether anything was begun on a host. */
final class Untouched {
  private Untouched() {}

  /** A consumer says that it began nothing, where that is true. */
  static void moves(Steps steps, BatchJob batchJob, String name, Consumer<BatchState> first) {
    if (!possible(steps.before(), batchJob)) {
      return;
    }
    for (Mend mend : Mend.values()) {
      steps.fault(
          Fault.UNTOUCHED,
          name + " Failed: nothing was begun, mended by " + mend.word(),
          first.andThen(after -> end(after, batchJob, JobStatus.FAILED, Optional.of(mend), "odd")));
      steps.fault(
          Fault.READ_LATE,
          name + " Unknown: read late, nothing was begun, mended by " + mend.word(),
          first.andThen(
              after -> end(after, batchJob, JobStatus.UNKNOWN, Optional.of(mend), "odd")));
    }
    if (batchJob.step() == Step.DRAIN) {
      steps.fault(
          Fault.UNTOUCHED,
          name + " Failed: not drained in time, nothing was begun",
          first.andThen(
              after ->
                  end(after, batchJob, JobStatus.FAILED, Optional.of(Mend.TIME), "not-drained")));
    }
    if (batchJob.step() == Step.UPDATE) {
      steps.fault(
          Fault.UNTOUCHED,
          name + " Done: nothing was to be done",
          first.andThen(after -> end(after, batchJob, JobStatus.DONE, Optional.empty(), "odd")));
    }
  }

  /** Whether the consumer of a job may find that nothing was begun. */
  private static boolean possible(BatchState batchState, BatchJob batchJob) {
    int truth = batchState.truth[BatchState.of(batchJob.host())];
    return switch (batchJob.step()) {
      case CORDON, DRAIN ->
          first(batchState, batchJob) && !ActualHostState.is(truth, ActualHostState.UPDATED);
      case UPDATE -> first(batchState, batchJob);
      // A consumer was given the only Update of the host and fell silent before it began.
      case VERIFY ->
          ActualHostState.is(truth, ActualHostState.UPDATED | ActualHostState.UNKNOWN)
              && !ActualHostState.is(truth, ActualHostState.ON_RELEASE)
              && batchState.rows.remediations().stream().allMatch(one -> one.ladder().isEmpty());
      case HEALTH, RECOVER, UNCORDON, HOOK, REPAIR, UNHOOK -> false;
    };
  }

  private static boolean first(BatchState batchState, BatchJob batchJob) {
    return batchState.rows.jobs().stream()
        .noneMatch(
            one ->
                one.step() == batchJob.step()
                    && one.host().equals(batchJob.host())
                    && one.given()
                    && !one.id().equals(batchJob.id()));
  }

  /** A job ends, and its consumer says that nothing was begun. */
  private static void end(
      BatchState after, BatchJob batchJob, JobStatus how, Optional<Mend> mend, String cause) {
    BatchJob.Told told = new BatchJob.Told(Optional.of(false), mend, cause);
    String says = how == JobStatus.DONE ? "" : "it began nothing";
    after.rows =
        Rows.of(after)
            .job(batchJob.id(), one -> Rows.ended(one, how, says, false, Map.of(), told))
            .done();
    int host = BatchState.of(batchJob.host());
    int truth = ActualHostState.untouched(after.truth[host], batchJob);
    after.truth[host] = how == JobStatus.DONE ? truth | ActualHostState.ON_RELEASE : truth;
  }

  /** What who reads a host says of it; who changes one says it only if asked to. */
  static BatchJob.Told told(BatchState batchState, BatchJob batchJob, JobStatus how) {
    boolean read =
        batchJob.step() == Step.VERIFY && (how == JobStatus.DONE || how == JobStatus.FAILED);
    boolean begun =
        ActualHostState.is(
            batchState.truth[BatchState.of(batchJob.host())], ActualHostState.UPDATED);
    return read
        ? new BatchJob.Told(Optional.of(begun), Optional.empty(), "")
        : BatchJob.Told.NOTHING;
  }
}
