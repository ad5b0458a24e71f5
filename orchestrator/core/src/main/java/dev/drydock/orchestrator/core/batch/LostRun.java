package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.BatchSnapshot;

/** A batch that lost its workflow run. */
public final class LostRun {
  private LostRun() {}

  /** Whether it is known what became of a host of the batch. */
  public static boolean known(BatchSnapshot batch, String host) {
    throw new UnsupportedOperationException(
        "host " + host + " of grant " + batch.grant().id() + " cannot be judged yet");
  }
}
