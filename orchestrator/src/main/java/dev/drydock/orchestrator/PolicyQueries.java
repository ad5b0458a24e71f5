package dev.drydock.orchestrator;

import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.activity.FailureBudgets;
import dev.drydock.orchestrator.batch.BatchPolicies;
import dev.drydock.orchestrator.intake.Planning;
import dev.drydock.orchestrator.intake.PolicyCoverage;
import dev.drydock.orchestrator.jobs.HealthChecks;
import dev.drydock.orchestrator.store.ZonePolicy;
import dev.drydock.orchestrator.watchdog.PhaseTimeouts;
import java.util.Collection;
import java.util.Map;

/**
 * What rollouts ask of the policies of teams and of what is up.
 *
 * @param batchPolicies read before each decision about a batch
 * @param zones asked when a check would be passed, and when batches are made anew
 * @param health asked when canaries have soaked
 * @param failures asked when hosts have ended
 * @param phases asked about phases that are at work
 * @param checks asked when a Health is claimed
 */
public record PolicyQueries(
    PolicyCoverage policies,
    Planning planning,
    BatchPolicies batchPolicies,
    ZonePolicy zones,
    Health health,
    FailureBudgets failures,
    PhaseTimeouts phases,
    HealthChecks checks) {

  /** Tells what of the applications is not up on the hosts: by instance, with the reason. */
  @FunctionalInterface
  public interface Health {
    Map<String, String> notUp(
        LockTable table, Collection<String> hosts, Collection<String> applications);
  }
}
