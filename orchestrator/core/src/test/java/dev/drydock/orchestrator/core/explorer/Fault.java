package dev.drydock.orchestrator.core.explorer;

/** What may go wrong, or happen that needs not. Each scenario says how often. */
enum Fault {
  /** A job ends Failed. */
  FAILED(Exit.FAILURE),
  /** A consumer does not know what became of its job. */
  UNKNOWN(Exit.FAILURE),
  /** A consumer falls silent, and its job expires. */
  SILENT(Exit.TIME_OUT),
  /** A consumer falls silent, and the board gives its job out once more. */
  AGAIN(Exit.TIME_OUT),
  /** Nobody claims a job in time. */
  UNCLAIMED(Exit.TIME_OUT),
  /** A consumer says that it began nothing on the host. */
  UNTOUCHED(Exit.FAILURE),
  /**
   * A consumer does not know what became of its job; its host says later that nothing was begun.
   */
  READ_LATE(Exit.FAILURE),
  /** The board objects to a Cordon for a reason that may pass. */
  OBJECTED(Exit.FAILURE),
  /** A hook asks to be asked again. */
  WAITED(Exit.TIME_OUT),
  /** A hook turns the batch back. */
  VETOED(Exit.FAILURE),
  /** A diagnosis finds that only people can help. */
  HOPELESS(Exit.FAILURE),
  /** Nobody recognises what a host has. */
  UNRECOGNISED(Exit.FAILURE),
  /** Others work on the host: a repair waits for them. */
  OTHERS(Exit.TIME_OUT),
  /** What a diagnosis found is too old. */
  OLD(Exit.TIME_OUT),
  /** The grantor says no. */
  WAIT(Exit.FAILURE),
  /** The grantor says nothing in time. */
  NO_VERDICT(Exit.TIME_OUT),
  /** The open verdict is too old when a Drain is claimed. */
  STALE(Exit.TIME_OUT),
  /** So much is repaired elsewhere that a repair waits. */
  CROWDED(Exit.TIME_OUT),
  /** Nobody answers a question in time. */
  NO_ANSWER(Exit.TIME_OUT),
  /** People are reminded of a question. */
  REMINDED(Exit.TIME_OUT),
  /** People abort the rollout. */
  ABORT(Exit.ABORT),
  /** People break the glass and take the hosts away. */
  BROKEN_GLASS(Exit.BROKEN_GLASS),
  /** A process dies between two writes. */
  CRASH(Exit.CRASH),
  /** Something else happens before a decision is made. */
  LAG(Exit.CRASH),
  /** The workflow run is lost. */
  LOST_RUN(Exit.CRASH),
  /** PostgreSQL is restored from a copy. */
  RESTORED(Exit.CRASH);

  private final Exit exit;

  Fault(Exit exit) {
    this.exit = exit;
  }

  /** How it makes a batch leave its way. */
  Exit exit() {
    return exit;
  }

  /** How a batch leaves its way. */
  enum Exit {
    ABORT("abort"),
    TIME_OUT("time-out"),
    FAILURE("failure"),
    CRASH("crash"),
    BROKEN_GLASS("broken glass");

    private final String word;

    Exit(String word) {
      this.word = word;
    }

    /** As people read it. */
    String word() {
      return word;
    }
  }
}
