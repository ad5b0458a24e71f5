package dev.drydock.auditor;

import dev.drydock.auditor.core.Invariant;

/**
 * A violation that was found while a rollout ran or at its end.
 *
 * @param object what it is about, by kind and name
 * @param says what is wrong, in one sentence
 */
public record RolloutViolation(String rollout, Invariant invariant, String object, String says) {}
