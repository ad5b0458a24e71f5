package dev.drydock.auditor.core;

/** What Drydock promises, by number (docs/architecture.md). */
public enum Invariant {
  I1("Budget", false),
  I2("One activity", true),
  I3("FIFO", false),
  I4("All or none", true),
  I5("Order", true),
  I6("Once", false),
  I7("Nothing lost", true),
  I8("A way out of every state", false);

  private final String title;
  private final boolean pauses;

  Invariant(String title, boolean pauses) {
    this.title = title;
    this.pauses = pauses;
  }

  /** Its name in a few words. */
  public String title() {
    return title;
  }

  /** Whether going on after a violation may do more harm: then the rollout is paused. */
  public boolean pauses() {
    return pauses;
  }
}
