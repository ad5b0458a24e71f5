package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.batch.BatchDriver;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.batch.DriveResult;
import dev.drydock.orchestrator.store.StaleRunException;
import io.temporal.failure.ApplicationFailure;

/** Drives batches for Temporal. Thread-safe. */
public final class BatchActivitiesImpl implements BatchActivities {
  /** Type of the failure of a run that was followed by another: repeating is of no use. */
  public static final String STALE_RUN = "StaleRun";

  private final BatchDriver driver;

  public BatchActivitiesImpl(BatchDriver driver) {
    this.driver = driver;
  }

  @Override
  public BatchRun begin(String grant, String runKey) {
    return driver.begin(grant, runKey);
  }

  @Override
  public DriveResult drive(BatchRun run) {
    try {
      return driver.drive(run);
    } catch (StaleRunException stale) {
      throw ApplicationFailure.newNonRetryableFailureWithCause(
          String.valueOf(stale.getMessage()), STALE_RUN, stale);
    }
  }

  @Override
  public void endHold(String grant) {
    driver.endHold(grant);
  }
}
