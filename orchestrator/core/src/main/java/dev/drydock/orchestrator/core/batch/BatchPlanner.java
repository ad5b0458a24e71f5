package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import java.util.List;

/** Decides what is to be done about a batch. Thread-safe: it keeps nothing. */
public final class BatchPlanner {
  private BatchPlanner() {}

  /** Decides, from everything that is known of the batch. */
  public static List<Action> decide(BatchSnapshot snapshot) {
    return new Draft(snapshot).actions();
  }
}
