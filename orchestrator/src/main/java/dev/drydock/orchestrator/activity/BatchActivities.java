package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.batch.DriveResult;
import io.temporal.activity.ActivityInterface;

/** What the workflow of a batch does. All of it may be repeated. */
@ActivityInterface(namePrefix = "batch-")
public interface BatchActivities {

  /**
   * Takes the next run number of the grant for this execution.
   *
   * @param runKey Temporal's id of the execution; the same key gets the same number
   */
  BatchRun begin(String grant, String runKey);

  /** Moves the batch until nothing more can be done now. Refuses a run followed by another. */
  DriveResult drive(BatchRun run);

  /** Ends what the grant still holds, except quarantines. */
  void endHold(String grant);
}
