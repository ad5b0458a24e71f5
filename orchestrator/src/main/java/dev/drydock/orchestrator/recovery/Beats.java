package dev.drydock.orchestrator.recovery;

import dev.drydock.lock.core.StoreTime;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The beats of PostgreSQL. Safe for use by many threads and processes. */
final class Beats {
  private final Jdbi jdbi;

  Beats(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Compares with etcd, in the order that makes what is under way no disagreement. */
  Agreement compare(StoreTime etcd) {
    long acknowledged = jdbi.withHandle(Beats::acknowledged);
    StoreTime.Now now = etcd.now();
    return jdbi.withHandle(
        handle ->
            Agreement.of(new Agreement.Rows(acknowledged, taken(handle), epoch(handle)), now));
  }

  /**
   * A beat of its own, for the moment; known to be taken when this returns. None where the last one
   * seen is gone: with another, which a sequence gives out up to 32 ahead, nobody would notice.
   */
  OptionalLong take(long seen) {
    return jdbi.inTransaction(
        handle ->
            handle
                .createQuery(
                    """
                    UPDATE store_beats SET taken = nextval('beats')
                    WHERE GREATEST(taken, (SELECT max(beat) FROM grants)) >= :seen RETURNING taken
                    """)
                .bind("seen", seen)
                .mapTo(Long.class)
                .findOne()
                .map(OptionalLong::of)
                .orElseGet(OptionalLong::empty));
  }

  /** etcd has it, written under this generation. */
  void acknowledge(long beat, long generation) {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    """
                    UPDATE store_beats SET acknowledged = :beat, generation = :generation
                    WHERE acknowledged < :beat
                    """)
                .bind("beat", beat)
                .bind("generation", generation)
                .execute());
  }

  /** Both stores go on from here. */
  static void begin(Handle handle, long epoch, long beat) {
    handle
        .createUpdate("UPDATE store_beats SET epoch = :epoch, taken = :beat, acknowledged = :beat")
        .bind("epoch", epoch)
        .bind("beat", beat)
        .execute();
    handle
        .createQuery("SELECT setval('beats', GREATEST(nextval('beats'), :beat))")
        .bind("beat", beat)
        .mapTo(Long.class)
        .one();
  }

  /** A batch under way is known to be committed, and its beat with it. */
  private static long acknowledged(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT GREATEST(b.acknowledged,
                            (SELECT max(g.beat) FROM grants g WHERE g.state = 'granted'))
            FROM store_beats b
            """)
        .mapTo(Long.class)
        .one();
  }

  /** The last one, be it of a grant. */
  static long taken(Handle handle) {
    return handle
        .createQuery("SELECT GREATEST(taken, (SELECT max(beat) FROM grants)) FROM store_beats")
        .mapTo(Long.class)
        .one();
  }

  /** Of the last acknowledged beat. */
  static long generation(Handle handle) {
    return handle.createQuery("SELECT generation FROM store_beats").mapTo(Long.class).one();
  }

  static long epoch(Handle handle) {
    return handle.createQuery("SELECT epoch FROM store_beats").mapTo(Long.class).one();
  }
}
