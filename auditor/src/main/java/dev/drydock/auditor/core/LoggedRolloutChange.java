package dev.drydock.auditor.core;

import java.time.Instant;

/**
 * An event after which a rollout, or a host of it, asks to be granted or does so no more.
 *
 * @param host that was cancelled; empty for one of the whole rollout
 * @param state of the rollout or host since; empty when the kind tells all
 */
public record LoggedRolloutChange(
    String rollout, String host, Instant at, String kind, String state) {}
