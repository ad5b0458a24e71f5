package dev.drydock.orchestrator.core.model;

import dev.drydock.impact.core.Ladder.Rung;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A rung that people are asked to approve before it is tried on a host.
 *
 * @param step the step that failed
 * @param found what the diagnosis said
 * @param approved what was answered; empty while it is awaited
 */
public record RepairApproval(
    String host,
    Step step,
    Rung rung,
    String found,
    Instant remindAt,
    Instant expiresAt,
    Optional<Boolean> approved) {
  /** The host counts as down meanwhile, and a night may lie between. */
  public static final Duration REMIND_EVERY = Duration.ofHours(1);

  /** A rung that nobody approved by then is refused. */
  public static final Duration EXPIRES_AFTER = Duration.ofHours(24);

  /** Its id under a grant. */
  public String id(String grant) {
    return String.join(".", grant, host, step.word(), rung.word());
  }

  /** The same, answered. */
  public RepairApproval answered(boolean yes) {
    return new RepairApproval(host, step, rung, found, remindAt, expiresAt, Optional.of(yes));
  }

  /** The same after people were reminded. */
  public RepairApproval reminded(Instant next) {
    return new RepairApproval(host, step, rung, found, next, expiresAt, approved);
  }
}
