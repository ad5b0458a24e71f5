package dev.drydock.server.planted.cli;

import dev.drydock.server.planted.orchestrator.store.Circle;
import io.temporal.client.WorkflowClient;
import org.jspecify.annotations.Nullable;

/** A client that knows more than the wire. */
final class KnowsARoom {
  @Nullable Circle room;
  @Nullable WorkflowClient temporal;
}
