package dev.drydock.orchestrator.jobs;

import dev.drydock.impact.core.LateDrain;
import java.time.Duration;
import java.util.Set;

/** What the policies in force say of drains. */
@FunctionalInterface
public interface DrainTimeouts {

  /** How long one may take: the longest of these applications, which run on one host. */
  Duration of(Set<String> applications);

  /** What becomes of the host then: the most careful of what the policies say. */
  default LateDrain late(Set<String> applications) {
    return LateDrain.UNSAID;
  }
}
