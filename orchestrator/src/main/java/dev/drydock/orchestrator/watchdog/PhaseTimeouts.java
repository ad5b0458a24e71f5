package dev.drydock.orchestrator.watchdog;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** What the policies in force say of how long a phase may take before somebody is told. */
@FunctionalInterface
public interface PhaseTimeouts {

  /**
   * The shortest that a policy of these applications, which run on one host, states.
   *
   * @param phase the step as the job board names it
   */
  Optional<Duration> of(String phase, Set<String> applications);
}
