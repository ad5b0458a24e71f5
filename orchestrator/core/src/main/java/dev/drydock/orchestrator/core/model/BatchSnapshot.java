package dev.drydock.orchestrator.core.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that a decision about a batch reads, as of one moment, under the lock of its grant.
 *
 * @param now by the clock of the database
 * @param mode how hosts of the rollout come to the release, as topics of the host operator name it
 * @param aborted by whom and why people aborted the rollout
 * @param hosts those still in the batch, by name
 * @param quarantined whether hosts of the grant were quarantined before
 * @param jobs all rounds of all steps of the grant, in the order of their rounds
 * @param checks the latest round of each check
 * @param hooks those written down for the batch, by number
 * @param wanted hooks that policies want now; read only while none are written down
 * @param running instances on the hosts; read only while no hooks are written down
 * @param failures hosts that failed and what became of that, oldest first
 * @param overruns hosts that were not drained in time and what became of that, oldest first
 * @param remediations oldest first
 * @param approvals rungs that people were asked to approve
 * @param loads remediations elsewhere, by host; read only for hosts with an open remediation
 */
public record BatchSnapshot(
    Instant now,
    Grant grant,
    String mode,
    Optional<String> aborted,
    List<BatchHost> hosts,
    boolean quarantined,
    List<Job> jobs,
    List<Check> checks,
    List<BatchHook> hooks,
    List<HookPolicy> wanted,
    List<RunningInstance> running,
    List<HostFailure> failures,
    List<DrainOverrun> overruns,
    List<Remediation> remediations,
    List<RepairApproval> approvals,
    RepairLimits limits,
    Map<String, RepairLoad> loads) {

  public BatchSnapshot {
    hosts = List.copyOf(hosts);
    jobs = List.copyOf(jobs);
    checks = List.copyOf(checks);
    hooks = List.copyOf(hooks);
    wanted = List.copyOf(wanted);
    running = List.copyOf(running);
    failures = List.copyOf(failures);
    overruns = List.copyOf(overruns);
    remediations = List.copyOf(remediations);
    approvals = List.copyOf(approvals);
    loads = Map.copyOf(loads);
  }
}
