package dev.drydock.orchestrator.jobs;

import java.time.Duration;
import java.util.Set;

/** How long the policies in force allow a drain to take. */
@FunctionalInterface
public interface DrainTimeouts {

  /** The longest of these applications, which run on one host. */
  Duration of(Set<String> applications);
}
