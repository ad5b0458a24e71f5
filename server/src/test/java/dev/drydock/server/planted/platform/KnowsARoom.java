package dev.drydock.server.planted.platform;

import dev.drydock.server.planted.orchestrator.store.Circle;
import org.jspecify.annotations.Nullable;

/** A platform that knows a room. */
final class KnowsARoom {
  @Nullable Circle room;
}
