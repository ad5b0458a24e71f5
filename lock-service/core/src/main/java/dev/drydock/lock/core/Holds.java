package dev.drydock.lock.core;

import java.util.List;

/**
 * Holds as their owner sees them. Every method may be repeated after a crash or a lost answer, and
 * throws when the store does not answer within its budget: then nothing is known and the call is
 * repeated.
 */
public interface Holds {

  /**
   * The end of a hold, or of some of its hosts.
   *
   * @param token create revision of the hold's records; a newer lock on a host is left alone
   * @param mark observations before it say nothing about the hosts any more
   * @param by principal or component that ends it
   */
  record End(String grantId, List<String> hosts, long token, long mark, String by, String reason) {
    public End {
      hosts = List.copyOf(hosts);
    }
  }

  /**
   * Ends a batch hold and leaves {@code ended/<host>} behind, in one transaction. Hosts whose lock
   * is gone already are done; quarantined ones stay.
   *
   * @return hosts of the request still locked by this grant: quarantined ones
   */
  List<String> end(End end);

  /**
   * Turns the batch hold of one host into a quarantine, which only people end.
   *
   * @return false when this grant has no lock on the host (any more)
   */
  boolean quarantine(String grantId, String host, String reason);

  /** Whatever this grant still locks, quarantined hosts included; empty when nothing. */
  List<LockRecord> find(String grantId);

  /**
   * A grant as it was proposed. After a restore its id may be of another one as well.
   *
   * @param beat the one that was taken with it
   */
  record Proposed(String grantId, List<String> hosts, long beat) {
    public Proposed {
      hosts = List.copyOf(hosts);
    }
  }

  /**
   * Settles whether a proposed grant was committed, for good: unless it was, it never will be
   * (protocol P5). That another was committed under its id is no commit of it.
   *
   * @param reason stored with a void grant
   */
  Settled voidGrant(Proposed proposed, String reason);

  /** Everything locked and waiting, as of now (linearizable). */
  LockTable table();

  /** How a proposal ended. */
  sealed interface Settled {
    /**
     * The grant's transaction was committed at {@code revision}, which is the token of its records.
     */
    record Committed(long revision) implements Settled {}

    /** It was not and cannot be. */
    record Voided() implements Settled {}
  }
}
