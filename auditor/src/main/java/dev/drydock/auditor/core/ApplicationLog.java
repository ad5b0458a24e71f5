package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.List;

/**
 * What was logged of one application in the time of a rollout.
 *
 * @param instances what each instance became that ever was of the application, in the order of
 *     writing, also what it became elsewhere
 * @param sightings reports of their sources and reads of their hosts, by the time they were
 *     received
 * @param hosts what their hosts became, in the order of writing
 * @param locks what the lock history tells of these hosts, in its order
 * @param policies all versions that ever named the application or were to replace one that did
 * @param admissions of the rollout, by time
 * @param since from when on all of it is kept
 */
public record ApplicationLog(
    String application,
    List<LoggedInstanceState> instances,
    List<ObservationReport> sightings,
    List<LoggedHostState> hosts,
    List<LockEntry> locks,
    List<PolicyVersion> policies,
    List<LoggedAdmission> admissions,
    Instant since) {
  public ApplicationLog {
    instances = List.copyOf(instances);
    sightings = List.copyOf(sightings);
    hosts = List.copyOf(hosts);
    locks = List.copyOf(locks);
    policies = List.copyOf(policies);
    admissions = List.copyOf(admissions);
  }
}
