package dev.drydock.orchestrator.testkit;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
import java.util.function.Consumer;

/** Brings batches from step to step without consumers. */
public final class BatchSteps {
  private static final int DRIVES_MAX = 20;

  private final Fleet fleet;
  private final Consumer<String> drive;

  /** Batches are driven as by their workflows. */
  public BatchSteps(Fleet fleet) {
    this(fleet, fleet::drive);
  }

  /**
   * The same.
   *
   * @param drive what drives the batch of a grant
   */
  public BatchSteps(Fleet fleet, Consumer<String> drive) {
    this.fleet = fleet;
    this.drive = drive;
  }

  /** Drives the batch until jobs of a step wait; what it asks for before is done and granted. */
  public void reach(String grant, Step step) {
    for (int round = 0; round < DRIVES_MAX; round++) {
      drive.accept(grant);
      if (waits(grant, step)) {
        return;
      }
      fleet.decide(grant, Fleet.GRANT);
      end(grant, JobStatus.DONE);
    }
    throw new AssertionError("the batch never comes to " + step);
  }

  private boolean waits(String grant, Step step) {
    return !fleet.rows.waiting(grant, JobStep.valueOf(step.word())).isEmpty();
  }

  /** Drives the batch to its end; what it asks for is done and granted. */
  public void toEnd(String grant) {
    for (int round = 0; round < DRIVES_MAX; round++) {
      drive.accept(grant);
      if (fleet.rows.batch(grant).state().equals("ended")) {
        return;
      }
      fleet.decide(grant, Fleet.GRANT);
      end(grant, JobStatus.DONE);
    }
    throw new AssertionError("the batch never ends");
  }

  /** The first check of the batch says no: it goes back, and ends. */
  public void held(String grant) {
    reach(grant, Step.CORDON);
    end(grant, JobStatus.DONE);
    drive.accept(grant);
    fleet.decide(grant, Fleet.WAIT);
    toEnd(grant);
  }

  /** A consumer was given every job of the batch that waits, and this became of it. */
  public void end(String grant, JobStatus how) {
    end(grant, how, "{}");
  }

  /**
   * The same.
   *
   * @param facts what the consumers reported, as JSON
   */
  public void end(String grant, JobStatus how, String facts) {
    fleet.workAsIf.ended(fleet.rows.waiting(grant), how, 1, facts);
  }

  /** The same, of the job of one host. */
  public void endOf(String host, JobStatus how) {
    fleet.workAsIf.ended(
        fleet.rows.jobs().stream()
            .filter(job -> job.host().equals(host) && job.state() == JobState.Pending)
            .toList(),
        how);
  }
}
