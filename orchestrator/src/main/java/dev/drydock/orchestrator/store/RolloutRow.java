package dev.drydock.orchestrator.store;

import dev.drydock.api.HostUpgradeState;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * One submission and how far it came.
 *
 * @param counts hosts by state; every host is in exactly one
 */
public record RolloutRow(
    String id,
    String release,
    String mode,
    String state,
    String reason,
    String requester,
    String team,
    Map<HostUpgradeState, Integer> counts,
    Instant createdAt,
    Optional<Instant> endedAt) {

  public RolloutRow {
    counts = Map.copyOf(counts);
  }

  public int count(HostUpgradeState hosts) {
    return counts.getOrDefault(hosts, 0);
  }

  public int hosts() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
