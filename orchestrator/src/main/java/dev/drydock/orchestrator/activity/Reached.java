package dev.drydock.orchestrator.activity;

/** The phase a batch came to, and how far it came in it. */
public record Reached(Phase phase, Progress progress) {

  /** Whether it is done, and phases come after it. */
  boolean goesOn() {
    return progress.status() == Progress.Status.DONE && phase.next().isPresent();
  }
}
