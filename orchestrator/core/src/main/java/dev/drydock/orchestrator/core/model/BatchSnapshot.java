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
 * @param decisions what policies or people decided or are to decide, by number
 * @param remediations oldest first
 * @param loads remediations elsewhere, by host; read only for hosts with an open remediation
 */
public record BatchSnapshot(
    Instant now,
    Grant grant,
    String mode,
    Optional<String> aborted,
    List<BatchHost> hosts,
    boolean quarantined,
    List<BatchJob> jobs,
    List<Check> checks,
    List<BatchHook> hooks,
    List<HookPolicy> wanted,
    List<RunningInstance> running,
    List<Decision> decisions,
    List<Remediation> remediations,
    RepairLimits limits,
    Map<String, RepairLoad> loads) {

  public BatchSnapshot {
    hosts = List.copyOf(hosts);
    jobs = List.copyOf(jobs);
    checks = List.copyOf(checks);
    hooks = List.copyOf(hooks);
    wanted = List.copyOf(wanted);
    running = List.copyOf(running);
    decisions = List.copyOf(decisions);
    remediations = List.copyOf(remediations);
    loads = Map.copyOf(loads);
  }
}
