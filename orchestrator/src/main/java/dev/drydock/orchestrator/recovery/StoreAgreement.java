package dev.drydock.orchestrator.recovery;

import dev.drydock.lock.core.StoreTime;

/**
 * Whether both stores are of one time, decided from their beats (protocol P10). Pure.
 *
 * <p>A beat is taken in PostgreSQL, written to etcd, and acknowledged in PostgreSQL, one after the
 * other. So what is acknowledged is never ahead of etcd, and etcd never ahead of what was taken; a
 * store for which that is not so is older than the other.
 *
 * <p>Properties: a death between any two of these writes is agreement; a store that lost at least
 * one acknowledged beat is not.
 */
sealed interface StoreAgreement {

  /** Whatever is between them is under way. */
  record Agreed() implements StoreAgreement {}

  /** One store is older than the other. */
  record Behind(Store store, String reason) implements StoreAgreement {}

  /** A store that can be restored; the names are those people know. */
  enum Store {
    POSTGRESQL("PostgreSQL"),
    ETCD("etcd");

    private final String word;

    Store(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }

    static Store of(String word) {
      return word.equals(ETCD.word) ? ETCD : POSTGRESQL;
    }
  }

  /**
   * What PostgreSQL says.
   *
   * @param acknowledged read before etcd was
   * @param taken read after etcd was
   */
  record Rows(long acknowledged, long taken, long epoch) {}

  static StoreAgreement of(Rows rows, StoreTime.Now etcd) {
    if (etcd.epoch() > rows.epoch()) {
      return new Behind(
          Store.POSTGRESQL,
          "PostgreSQL is of epoch %d, etcd of epoch %d".formatted(rows.epoch(), etcd.epoch()));
    }
    if (etcd.epoch() < rows.epoch()) {
      return new Behind(
          Store.ETCD,
          "etcd is of epoch %d, PostgreSQL of epoch %d".formatted(etcd.epoch(), rows.epoch()));
    }
    if (etcd.beat() > rows.taken()) {
      return new Behind(
          Store.POSTGRESQL,
          "etcd has beat %d, of which PostgreSQL has taken %d"
              .formatted(etcd.beat(), rows.taken()));
    }
    if (etcd.beat() < rows.acknowledged()) {
      return new Behind(
          Store.ETCD,
          "etcd has beat %d, and is known to have had beat %d"
              .formatted(etcd.beat(), rows.acknowledged()));
    }
    return new Agreed();
  }
}
