package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.model.Job;
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
  static void moves(Steps steps, Job job, String name, Consumer<World> first) {
    if (!possible(steps.before(), job)) {
      return;
    }
    for (Mend mend : Mend.values()) {
      steps.fault(
          Fault.UNTOUCHED,
          name + " Failed: nothing was begun, mended by " + mend.word(),
          first.andThen(after -> end(after, job, JobStatus.FAILED, Optional.of(mend), "odd")));
      steps.fault(
          Fault.READ_LATE,
          name + " Unknown: read late, nothing was begun, mended by " + mend.word(),
          first.andThen(after -> end(after, job, JobStatus.UNKNOWN, Optional.of(mend), "odd")));
    }
    if (job.step() == Step.DRAIN) {
      steps.fault(
          Fault.UNTOUCHED,
          name + " Failed: not drained in time, nothing was begun",
          first.andThen(
              after -> end(after, job, JobStatus.FAILED, Optional.of(Mend.TIME), "not-drained")));
    }
    if (job.step() == Step.UPDATE) {
      steps.fault(
          Fault.UNTOUCHED,
          name + " Done: nothing was to be done",
          first.andThen(after -> end(after, job, JobStatus.DONE, Optional.empty(), "odd")));
    }
  }

  /** Whether the consumer of a job may find that nothing was begun. */
  private static boolean possible(World world, Job job) {
    int truth = world.truth[World.of(job.host())];
    return switch (job.step()) {
      case FREEZE, DRAIN -> first(world, job) && !Truth.is(truth, Truth.UPDATED);
      case UPDATE -> first(world, job);
      // A consumer was given the only Update of the host and fell silent before it began.
      case VERIFY ->
          Truth.is(truth, Truth.UPDATED | Truth.UNKNOWN)
              && !Truth.is(truth, Truth.ON_RELEASE)
              && world.rows.remediations().stream().allMatch(one -> one.ladder().isEmpty());
      case HEALTH, RECOVER, UNFREEZE, HOOK, REPAIR, UNHOOK -> false;
    };
  }

  private static boolean first(World world, Job job) {
    return world.rows.jobs().stream()
        .noneMatch(
            one ->
                one.step() == job.step()
                    && one.host().equals(job.host())
                    && one.given()
                    && !one.id().equals(job.id()));
  }

  /** A job ends, and its consumer says that nothing was begun. */
  private static void end(World after, Job job, JobStatus how, Optional<Mend> mend, String cause) {
    Job.Told told = new Job.Told(Optional.of(false), mend, cause);
    String says = how == JobStatus.DONE ? "" : "it began nothing";
    after.rows =
        Rows.of(after)
            .job(job.id(), one -> Rows.ended(one, how, says, false, Map.of(), told))
            .done();
    int host = World.of(job.host());
    int truth = Truth.untouched(after.truth[host], job);
    after.truth[host] = how == JobStatus.DONE ? truth | Truth.ON_RELEASE : truth;
  }

  /** What who reads a host says of it; who changes one says it only if asked to. */
  static Job.Told told(World world, Job job, JobStatus how) {
    boolean read = job.step() == Step.VERIFY && (how == JobStatus.DONE || how == JobStatus.FAILED);
    boolean begun = Truth.is(world.truth[World.of(job.host())], Truth.UPDATED);
    return read ? new Job.Told(Optional.of(begun), Optional.empty(), "") : Job.Told.NOTHING;
  }
}
