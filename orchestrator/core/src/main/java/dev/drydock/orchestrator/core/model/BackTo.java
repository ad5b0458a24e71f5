package dev.drydock.orchestrator.core.model;

import java.util.stream.Stream;

/** What becomes of the hosts of a batch that goes back. */
public enum BackTo {
  /** They wait again, with the age of their first turn. */
  HELD("Held"),
  /** They end as they were before. */
  REVERTED("Reverted"),
  /** The same, because their rollout was aborted. */
  CANCELLED("Cancelled");

  private final String word;

  BackTo(String word) {
    this.word = word;
  }

  /** As rows spell it. */
  public String word() {
    return word;
  }

  /** The constant of a word. */
  public static BackTo of(String word) {
    return Stream.of(values())
        .filter(one -> one.word.equals(word))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no way back of a batch: " + word));
  }

  /** How the hosts end. */
  public HostEnd end() {
    return switch (this) {
      case HELD -> HostEnd.HELD;
      case REVERTED -> HostEnd.REVERTED;
      case CANCELLED -> HostEnd.CANCELLED;
    };
  }
}
