package dev.drydock.orchestrator.exits;

/** What may end a state otherwise than its work does: the columns of the table. */
public enum Exit {
  /** People do not want it any more. */
  ABORT("abort"),
  /** It took too long, or those who work on it fell silent. */
  TIME_OUT("time-out"),
  /** Its work says that it did not succeed, or a check says no. */
  FAILURE("failure"),
  /** Whoever carries it out dies. */
  CRASH("crash"),
  /** People break the glass: they take the hosts away from whoever works on them. */
  BROKEN_GLASS("broken glass");

  private final String word;

  Exit(String word) {
    this.word = word;
  }

  /** As the table says it. */
  String word() {
    return word;
  }
}
