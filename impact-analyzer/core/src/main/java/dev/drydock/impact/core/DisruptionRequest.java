package dev.drydock.impact.core;

import java.util.Optional;
import java.util.Set;

/**
 * What somebody wants to take down.
 *
 * @param hosts hosts to be taken, all together
 * @param applications applications named by the requester. They are judged in addition to
 *     everything on the hosts: a locked host counts as down for all its applications, so naming
 *     some cannot excuse the others
 * @param held hosts with a lock of any kind now: provisional ones, lapsed ones and quarantines
 *     included. A host of this request may be among them (a check of a granted batch): it is then
 *     already counted as down and not taken twice
 * @param ending hosts of those who work now, when it is asked how things were if they had ended:
 *     these count as up, and so does what was not observed since the last work on its host. Empty
 *     when it is asked how things are
 */
public record DisruptionRequest(
    Set<String> hosts, Set<String> applications, Set<String> held, Optional<Set<String>> ending) {
  public DisruptionRequest {
    hosts = Set.copyOf(hosts);
    applications = Set.copyOf(applications);
    held = Set.copyOf(held);
    ending = ending.map(Set::copyOf);
  }

  /** How things are. */
  public DisruptionRequest(Set<String> hosts, Set<String> applications, Set<String> held) {
    this(hosts, applications, held, Optional.empty());
  }

  /** How things were if all who work on {@code those} had ended. */
  public DisruptionRequest onceEnded(Set<String> those) {
    return new DisruptionRequest(hosts, applications, held, Optional.of(those));
  }
}
