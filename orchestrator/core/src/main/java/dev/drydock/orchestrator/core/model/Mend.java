package dev.drydock.orchestrator.core.model;

import java.util.Arrays;

/** What can mend a job that did not end well. */
public enum Mend {
  /** Waiting can: what is missing comes back, or who is in the way goes away. */
  TIME("Time"),
  /** Only people can. */
  PEOPLE("People");

  private final String word;

  Mend(String word) {
    this.word = word;
  }

  /** As rows spell it. */
  public String word() {
    return word;
  }

  /** The constant of a word. */
  public static Mend of(String word) {
    return Arrays.stream(values())
        .filter(one -> one.word.equals(word))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("nothing mends a job by: " + word));
  }
}
