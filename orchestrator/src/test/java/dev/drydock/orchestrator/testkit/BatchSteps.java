package dev.drydock.orchestrator.testkit;

import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;

/** Brings batches from step to step without consumers: rows say what a consumer would have done. */
public final class BatchSteps {
  private static final int DRIVES_MAX = 20;

  private final Fleet fleet;

  public BatchSteps(Fleet fleet) {
    this.fleet = fleet;
  }

  /** Drives the batch until jobs of a step wait; what it asks for before is done and granted. */
  public void reach(String grant, Step step) {
    for (int drive = 0; drive < DRIVES_MAX; drive++) {
      fleet.drive(grant);
      if (waits(grant, step)) {
        return;
      }
      fleet.decide(grant, Fleet.GRANT);
      end(grant, JobStatus.DONE);
    }
    throw new AssertionError("the batch never comes to " + step);
  }

  private boolean waits(String grant, Step step) {
    return !fleet
        .value(
            "SELECT count(*) FROM jobs WHERE grant_id = '%s' AND step = '%s' AND state = 'Pending'"
                .formatted(grant, step.word()))
        .equals("0");
  }

  /** The first check of the batch says no: it goes back, and ends. */
  public void held(String grant) {
    reach(grant, Step.FREEZE);
    end(grant, JobStatus.DONE);
    fleet.drive(grant);
    fleet.decide(grant, Fleet.HOLD);
    reach(grant, Step.UNFREEZE);
    end(grant, JobStatus.DONE);
    fleet.drive(grant);
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
    fleet.execute(
        """
        UPDATE jobs SET state = '%s', attempt = 1, ended_at = clock_timestamp(),
                        result = '{"facts": %s}'
        WHERE grant_id = '%s' AND state = 'Pending'
        """
            .formatted(how.word(), facts, grant));
  }
}
