package dev.drydock.impact.policy;

/**
 * One thing wrong with a policy.
 *
 * @param path the field, such as spec.capacity[0].maxUnavailable
 * @param line in the YAML, from 1
 * @param message what is wrong and what to do
 */
public record PolicyFault(String path, int line, String message) {}
