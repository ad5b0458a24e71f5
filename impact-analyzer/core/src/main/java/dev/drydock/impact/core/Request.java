package dev.drydock.impact.core;

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
 */
public record Request(Set<String> hosts, Set<String> applications, Set<String> held) {
  public Request {
    hosts = Set.copyOf(hosts);
    applications = Set.copyOf(applications);
    held = Set.copyOf(held);
  }
}
