package dev.drydock.orchestrator.activity;

/**
 * How far a phase came on the hosts that are still in the batch.
 *
 * @param reason why it did not succeed; empty while waiting and when done
 * @param hooked of a FREEZE that is done, whether hooks are to be run from here on; false in what
 *     was recorded before there were any
 */
public record Progress(Status status, String reason, boolean hooked) {

  /** Of any other phase. */
  public Progress(Status status, String reason) {
    this(status, reason, false);
  }

  /** What the workflow decides by. */
  public enum Status {
    WAITING,
    DONE,
    /** Every host is on the release already: nothing is to be done. */
    NEEDLESS,
    /** A check said no: go back, and try again later. */
    HELD,
    /** It did not succeed, and every host is known to be as it was before the update: go back. */
    FAILED,
    /** Some hosts are to be kept aside, the others go on: quarantine them. */
    ASIDE,
    /** Some host is neither done nor can be brought back: quarantine it. */
    BROKEN
  }

  static Progress waiting() {
    return new Progress(Status.WAITING, "");
  }

  static Progress done() {
    return new Progress(Status.DONE, "");
  }
}
