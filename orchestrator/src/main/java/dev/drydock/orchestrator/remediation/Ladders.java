package dev.drydock.orchestrator.remediation;

import dev.drydock.impact.core.Ladder;
import java.util.Set;

/** What the policies in force let be tried on a host before it is quarantined. */
@FunctionalInterface
public interface Ladders {

  /** What all policies of these applications, which run on one host, want. */
  Ladder of(Set<String> applications);
}
