package dev.drydock.orchestrator.core.batch;

/**
 * How far a phase came on the hosts that are still in the batch.
 *
 * @param reason why it did not succeed, or what it waits for
 */
record PhaseProgress(Status status, String reason) {

  /** What follows. */
  enum Status {
    WAITING,
    DONE,
    /** Every host is on the release already: nothing is to be done. */
    NEEDLESS,
    /** A check said no: go back, and try again later. */
    REQUEUED,
    /** Nothing was begun on any host, and only people can mend that: go back, and end. */
    REFUSED,
    /** It did not succeed, and every host is as it was before the update: go back. */
    FAILED,
    /** Some hosts are kept aside and quarantined, the others go on. */
    ASIDE,
    /** Some host is neither done nor can be brought back: quarantine it. */
    BROKEN
  }

  static PhaseProgress waiting(String forWhat) {
    return new PhaseProgress(Status.WAITING, forWhat);
  }

  static PhaseProgress done() {
    return new PhaseProgress(Status.DONE, "");
  }

  boolean waits() {
    return status == Status.WAITING;
  }
}
