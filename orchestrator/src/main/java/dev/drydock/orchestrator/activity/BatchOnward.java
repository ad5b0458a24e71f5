package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.batch.BatchPolicies;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.Onward;
import dev.drydock.orchestrator.store.Transactor;
import java.util.Collection;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes what follows with what ends the step or check before it, where that is all there is to
 * do: the batch is on its way forward and nothing failed. Everything else is left to its workflow,
 * which would do the same.
 */
public final class BatchOnward implements Onward {
  private static final Logger log = LoggerFactory.getLogger(BatchOnward.class);
  private static final String BEFORE = "onward";

  private final Advance advance;

  public BatchOnward(BatchPolicies policies) {
    this.advance = new Advance(policies);
  }

  @Override
  public boolean stepDone(Handle handle, GrantRow grant, JobStep step) {
    Optional<Phase> phase = phase(step);
    return phase.isPresent()
        && forward(grant)
        && guarded(handle, grant.id(), () -> stepDone(handle, grant, step, phase.get()));
  }

  private boolean stepDone(Handle handle, GrantRow grant, JobStep step, Phase phase) {
    Collection<JobRow> all = JobRow.lasts(handle, grant.id(), step).values();
    if (!all.stream().allMatch(JobRow::ended)) {
      return true;
    }
    // A freeze fixes the hooks that follow it; of the others nothing is left to be done.
    Phase next = phase == Phase.FREEZE ? phase : phase.next().orElseThrow();
    return all.stream().allMatch(job -> job.state() == JobState.Done) && waits(handle, grant, next);
  }

  @Override
  public boolean checkGranted(Handle handle, String id, Check.Kind kind) {
    Phase phase = kind == Check.Kind.CONFIRM ? Phase.CONFIRM : Phase.OPEN;
    return guarded(
        handle,
        id,
        () -> {
          GrantRow grant = GrantRow.lock(handle, id);
          return forward(grant) && waits(handle, grant, phase);
        });
  }

  private boolean waits(Handle handle, GrantRow grant, Phase phase) {
    return advance.from(handle, grant, phase).progress().status() == Status.WAITING;
  }

  private static boolean forward(GrantRow grant) {
    return grant.alive()
        && grant.endState().isEmpty()
        && !grant.abort()
        && grant.undo().isEmpty()
        && grant.reclaim().isEmpty()
        && !grant.blind()
        && !grant.aside();
  }

  /** Of the steps whose end can be followed by another at once. */
  private static Optional<Phase> phase(JobStep step) {
    return switch (step) {
      case Freeze -> Optional.of(Phase.FREEZE);
      case Drain -> Optional.of(Phase.DRAIN);
      case Update -> Optional.of(Phase.UPDATE);
      case Health -> Optional.of(Phase.HEALTH);
      default -> Optional.empty();
    };
  }

  /** What was written before is kept, whatever comes of this. */
  private static boolean guarded(Handle handle, String grant, BooleanSupplier step) {
    handle.savepoint(BEFORE);
    try {
      boolean done = step.getAsBoolean();
      handle.releaseSavepoint(BEFORE);
      return done;
    } catch (RuntimeException failed) {
      if (Transactor.repeatable(failed)) {
        throw failed;
      }
      handle.rollbackToSavepoint(BEFORE);
      log.warn("grant {} does not go on at once: {}", grant, failed.getMessage());
      return false;
    }
  }
}
