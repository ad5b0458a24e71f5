package dev.drydock.orchestrator.core.model;

import java.util.stream.Stream;

/** How far the checks of a grant came. */
public enum GrantStage {
  /** Granted, no check passed yet. */
  PROVISIONAL("provisional"),
  /** The first check passed: what really runs on the hosts may go down. */
  CONFIRMED("confirmed"),
  /** The second check passed: hosts may be drained. */
  OPEN("open");

  private final String word;

  GrantStage(String word) {
    this.word = word;
  }

  /** As rows spell it. */
  public String word() {
    return word;
  }

  /** The stage of a word. */
  public static GrantStage of(String word) {
    return Stream.of(values())
        .filter(stage -> stage.word.equals(word))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no stage of a grant: " + word));
  }
}
