package dev.drydock.server.planted.orchestrator.core;

import dev.drydock.server.planted.orchestrator.store.WritesBatchRows;
import java.time.Instant;

/** A decider that reads the clock itself and knows what writes rows. */
final class DecidesByRows {
  Instant when = Instant.now();
  WritesBatchRows rows = new WritesBatchRows();
}
