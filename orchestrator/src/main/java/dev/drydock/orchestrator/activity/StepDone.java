package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.jobs.Onward;
import dev.drydock.orchestrator.store.GrantRow;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Publishes the next step with the result that ends the one before, where that is all that is to be
 * done: the batch is on its way forward, no policies are to be read, and nothing failed. Everything
 * else is left to its workflow, which would do the same.
 */
public final class StepDone implements Onward {
  @Override
  public boolean after(Handle handle, GrantRow grant, JobRow done) {
    Optional<Phase> phase = phase(done.step());
    if (phase.isEmpty() || !forward(grant)) {
      return false;
    }
    Collection<JobRow> all = JobRow.lasts(handle, grant.id(), done.step()).values();
    if (!all.stream().allMatch(JobRow::ended)) {
      return true;
    }
    // Without what policies say of a drain none is published anew: all of them are done.
    return all.stream().allMatch(job -> job.state() == JobState.Done)
        && Advance.from(handle, grant, phase.get(), Map.of()).progress().status() == Status.WAITING;
  }

  private static boolean forward(GrantRow grant) {
    return !grant.abort()
        && grant.undo().isEmpty()
        && grant.reclaim().isEmpty()
        && !grant.blind()
        && grant.endState().isEmpty();
  }

  /** Of the steps whose end can be followed by another at once. */
  private static Optional<Phase> phase(JobStep step) {
    return switch (step) {
      case Drain -> Optional.of(Phase.DRAIN);
      case Update -> Optional.of(Phase.UPDATE);
      case Health -> Optional.of(Phase.HEALTH);
      default -> Optional.empty();
    };
  }
}
