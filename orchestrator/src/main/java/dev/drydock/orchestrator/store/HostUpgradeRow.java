package dev.drydock.orchestrator.store;

import java.time.Instant;
import java.util.Optional;

/**
 * One host's way through a rollout.
 *
 * @param facts a JSON object of strings
 */
public record HostUpgradeRow(
    String rollout,
    String host,
    String state,
    Optional<String> step,
    Optional<String> grant,
    String reason,
    String facts,
    Optional<Instant> startedAt,
    Optional<Instant> endedAt) {}
