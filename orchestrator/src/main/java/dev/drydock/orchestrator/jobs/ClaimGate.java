package dev.drydock.orchestrator.jobs;

import dev.drydock.api.JobStep;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** What keeps consumers from work, whatever the board has. Safe for use by many threads. */
public interface ClaimGate {
  /** Nothing does. */
  ClaimGate OPEN = (handle, step) -> Optional.empty();

  /** Why nobody may claim or go on with a job of the step now; empty when they may. */
  Optional<String> closed(Handle handle, JobStep step);
}
