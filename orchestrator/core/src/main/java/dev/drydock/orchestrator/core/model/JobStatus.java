package dev.drydock.orchestrator.core.model;

/** Where a job is. */
public enum JobStatus implements NamedConstant {
  /** On the board, claimed by nobody. */
  PENDING,
  /** A consumer has it. */
  CLAIMED,
  DONE,
  FAILED,
  /** Its consumer does not know what became of it. */
  UNKNOWN,
  /** A hook that asks to be asked again. */
  WAITED,
  /** A hook that turns its batch back. */
  VETOED,
  /** Its time ended before a result came. */
  EXPIRED,
  /** Taken off the board. */
  CANCELLED;

  /** Whether no attempt is possible any more. */
  public boolean ended() {
    return this != PENDING && this != CLAIMED;
  }
}
