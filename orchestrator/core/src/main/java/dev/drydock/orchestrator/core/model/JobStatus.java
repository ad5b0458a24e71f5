package dev.drydock.orchestrator.core.model;

import java.util.stream.Stream;

/** Where a job is. */
public enum JobStatus {
  /** On the board, claimed by nobody. */
  PENDING("Pending"),
  /** A consumer has it. */
  CLAIMED("Claimed"),
  DONE("Done"),
  FAILED("Failed"),
  /** Its consumer does not know what became of it. */
  UNKNOWN("Unknown"),
  /** A hook that asks to be asked again. */
  WAITED("Waited"),
  /** A hook that turns its batch back. */
  VETOED("Vetoed"),
  /** Its time ended before a result came. */
  EXPIRED("Expired"),
  /** Taken off the board. */
  CANCELLED("Cancelled");

  private final String word;

  JobStatus(String word) {
    this.word = word;
  }

  /** As rows spell it. */
  public String word() {
    return word;
  }

  /** The status of a word. */
  public static JobStatus of(String word) {
    return Stream.of(values())
        .filter(status -> status.word.equals(word))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no state of a job: " + word));
  }

  /** Whether no attempt is possible any more. */
  public boolean ended() {
    return this != PENDING && this != CLAIMED;
  }
}
