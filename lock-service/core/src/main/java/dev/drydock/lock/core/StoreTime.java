package dev.drydock.lock.core;

import java.util.List;

/**
 * How far the store of locks is, for who compares it with the store of what was asked (protocol
 * P10). Safe for use by many threads; throws when the store does not answer within its budget.
 */
public interface StoreTime {

  /**
   * How far it is now (linearizable).
   *
   * @param beat the last beat written, 0 before the first
   * @param epoch how often a store was restored
   * @param generation modification revision of the {@link Generation}: another one after each
   *     change of a policy
   */
  record Now(long beat, long epoch, long generation) {}

  /** A batch grant that was committed, whatever became of it. */
  record Committed(String grantId, List<String> hosts, long beat) {
    public Committed {
      hosts = List.copyOf(hosts);
    }
  }

  Now now();

  /** The store was restored: what this process keeps of it is of another one, and read anew. */
  void forget();

  /** Every batch grant that was ever committed. */
  List<Committed> committed();

  /** Begins an epoch, again or for the first time; whatever is still on its way fails. */
  void begin(long epoch, long beat);
}
