package dev.drydock.server.planted.orchestrator.store;

import dev.drydock.server.planted.orchestrator.jobs.ForeignTypes;
import org.jspecify.annotations.Nullable;

/** Half of a circle. */
public final class Circle {
  @Nullable ForeignTypes back;
}
