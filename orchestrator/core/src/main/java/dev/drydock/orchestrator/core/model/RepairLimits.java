package dev.drydock.orchestrator.core.model;

import java.time.Duration;

/**
 * Limits on all remediations together.
 *
 * @param atOnce on how many hosts of the fleet something may be done at once
 * @param alike after how many hosts of a kind that nothing helped, and none that was helped, no
 *     other is tried
 * @param coolDown how long after it was helped a host is left alone
 */
public record RepairLimits(int atOnce, int alike, Duration coolDown) {}
