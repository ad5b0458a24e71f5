package dev.drydock.lock.core.txn;

/**
 * Why the generation was bumped, under {@code control/generation}. Only the revision of that key
 * counts; this is for people and for the history.
 *
 * @param what freeze, unfreeze, or what else was changed
 */
public record GenerationCause(String what, String by, String reason) {}
