package dev.drydock.orchestrator.remediation;

import java.util.Map;

/**
 * What is known of a host before a rung is tried on it: what is not known allows nothing (protocol
 * P9).
 *
 * @param done whether whoever was to find out did
 * @param facts what the job told
 */
record Diagnosis(boolean done, Map<String, String> facts) {
  static final String REACHABLE = "diagnosis.reachable";
  static final String RUNNING = "diagnosis.running";
  static final String RECOVERABLE = "diagnosis.recoverable";

  Diagnosis {
    facts = Map.copyOf(facts);
  }

  boolean answers() {
    return done && "true".equals(facts.get(REACHABLE));
  }

  /** What is the matter is known, and only people can help. */
  boolean hopeless() {
    return done && "false".equals(facts.get(RECOVERABLE));
  }

  /** Nothing of ours runs there, as far as it answers. */
  boolean quiet() {
    return done && facts.containsKey(REACHABLE) && facts.getOrDefault(RUNNING, "").isEmpty();
  }
}
