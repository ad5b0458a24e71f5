package dev.drydock.orchestrator.recovery;

import dev.drydock.lock.core.StoreTime;
import dev.drydock.platform.store.Sql;
import java.util.Map;
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
  StoreAgreement compare(StoreTime etcd) {
    long acknowledged = jdbi.withHandle(Beats::acknowledged);
    StoreTime.Now now = etcd.now();
    return jdbi.withHandle(
        handle ->
            StoreAgreement.of(
                new StoreAgreement.Rows(acknowledged, taken(handle), epoch(handle)), now));
  }

  /**
   * A beat of its own, for the moment; known to be taken when this returns. None where the last one
   * seen is gone: with another, which a sequence gives out up to 32 ahead, nobody would notice.
   */
  OptionalLong take(long seen) {
    return jdbi.inTransaction(
        handle ->
            Sql.find(
                    handle,
                    Long.class,
                    """
                    UPDATE store_beats SET taken = nextval('beats')
                    WHERE GREATEST(taken, (SELECT max(beat) FROM grants)) >= :seen RETURNING taken
                    """,
                    Map.of("seen", seen))
                .map(OptionalLong::of)
                .orElseGet(OptionalLong::empty));
  }

  /** etcd has it, written under this generation. */
  void acknowledge(long beat, long generation) {
    Sql.update(
        jdbi,
        """
        UPDATE store_beats SET acknowledged = :beat, generation = :generation
        WHERE acknowledged < :beat
        """,
        Map.of("beat", beat, "generation", generation));
  }

  /** Both stores go on from here. */
  static void begin(Handle handle, long epoch, long beat) {
    Sql.update(
        handle,
        "UPDATE store_beats SET epoch = :epoch, taken = :beat, acknowledged = :beat",
        Map.of("epoch", epoch, "beat", beat));
    Sql.one(
        handle,
        Long.class,
        "SELECT setval('beats', GREATEST(nextval('beats'), :beat))",
        Map.of("beat", beat));
  }

  /** A batch under way is known to be committed, and its beat with it. */
  private static long acknowledged(Handle handle) {
    return Sql.one(
        handle,
        Long.class,
        """
        SELECT GREATEST(b.acknowledged,
                        (SELECT max(g.beat) FROM grants g WHERE g.state = 'granted'))
        FROM store_beats b
        """,
        Map.of());
  }

  /** The last one, be it of a grant. */
  static long taken(Handle handle) {
    return Sql.one(
        handle,
        Long.class,
        "SELECT GREATEST(taken, (SELECT max(beat) FROM grants)) FROM store_beats",
        Map.of());
  }

  /** Of the last acknowledged beat. */
  static long generation(Handle handle) {
    return Sql.one(handle, Long.class, "SELECT generation FROM store_beats", Map.of());
  }

  static long epoch(Handle handle) {
    return Sql.one(handle, Long.class, "SELECT epoch FROM store_beats", Map.of());
  }
}
