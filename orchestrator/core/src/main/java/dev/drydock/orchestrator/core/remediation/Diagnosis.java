package dev.drydock.orchestrator.core.remediation;

import dev.drydock.impact.core.Ladder.Rung;
import java.util.List;
import java.util.Map;

/**
 * What is known of a host before a rung is tried on it. What is not known allows nothing (protocol
 * P9).
 *
 * @param done whether the operator found out
 * @param facts what its job told
 */
record Diagnosis(boolean done, Map<String, String> facts) {
  private static final String UNKNOWN = "unknown";
  static final String REACHABLE = "diagnosis.reachable";
  static final String RUNNING = "diagnosis.running";
  static final String SIGNATURE = "diagnosis.signature";
  static final String RECOVERABLE = "diagnosis.recoverable";
  static final String RUNGS = "diagnosis.rungs";
  static final String OTHERS = "diagnosis.others";
  static final String DATA_OWED = "diagnosis.dataOwed";

  Diagnosis {
    facts = Map.copyOf(facts);
  }

  static Diagnosis of(RepairStep diagnosed) {
    return new Diagnosis(diagnosed.done(), diagnosed.job().facts());
  }

  /** What the host has: {@code unknown} where nothing fits, empty where nobody found out. */
  String signature() {
    return done ? facts.getOrDefault(SIGNATURE, "") : "";
  }

  /** Whether it is known what the host has. */
  boolean recognised() {
    return !signature().isEmpty() && !signature().equals(UNKNOWN);
  }

  /** Who else works there with packages, the disk or a shutdown inhibitor; empty if nobody does. */
  String others() {
    return done ? facts.getOrDefault(OTHERS, "") : "";
  }

  boolean answers() {
    return done && "true".equals(facts.get(REACHABLE));
  }

  /** What is the matter is known, and only people can help. */
  boolean hopeless() {
    return done && "false".equals(facts.get(RECOVERABLE));
  }

  /** Whether the rung helps, or it is unknown what helps. */
  boolean helps(Rung rung) {
    String known = facts.getOrDefault(RUNGS, "");
    return known.isEmpty() || List.of(known.split(",")).contains(rung.word());
  }

  /**
   * Whether an installation of its batch kept sums of its data that are still to be proven. Also if
   * the operator that diagnosed it knows nothing of that.
   */
  boolean dataOwed() {
    return done && !"false".equals(facts.get(DATA_OWED));
  }

  /** Nothing of ours runs there, as far as it answers. */
  boolean quiet() {
    return done && facts.containsKey(REACHABLE) && facts.getOrDefault(RUNNING, "").isEmpty();
  }
}
