package dev.drydock.orchestrator.recovery;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.StoreTime.Committed;
import dev.drydock.lock.core.Ticket;
import dev.drydock.orchestrator.events.Sequencer;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Numbers of a PostgreSQL that was restored: none that etcd knows is given out a second time, and
 * none of a rollout at all, as people go on to name it so.
 */
final class NumberRestorer {
  /** Nobody submits as many between a copy and its restore. */
  private static final int ROLLOUTS_FORGOTTEN_MAX = 1_000_000;

  /**
   * A higher one was never issued: an end that cannot be read counts as the highest number there
   * is, and behind that no mark is left.
   */
  private static final long MARK_MAX = 1L << 53;

  private final Handle handle;

  NumberRestorer(Handle handle) {
    this.handle = handle;
  }

  /** Events and rollouts from after the copy may have had nothing in etcd. */
  void leap() {
    Sequencer.leap(handle);
    Sql.one(
        handle,
        Long.class,
        """
        SELECT setval(CAST(:name AS regclass), nextval(CAST(:name AS regclass)) + :forgotten)
        """,
        Map.of("name", serial("rollouts", "number"), "forgotten", ROLLOUTS_FORGOTTEN_MAX));
  }

  /** Go on behind what etcd has. */
  void after(List<Committed> committed, LockTable table) {
    raise("grant_numbers", highest("g", committed.stream().map(Committed::grantId)));
    raise(
        serial("marks", "mark"),
        table.ended().values().stream()
            .mapToLong(EndedLock::mark)
            .filter(mark -> mark <= MARK_MAX)
            .max()
            .orElse(0));
    raise(
        serial("rollouts", "number"),
        highest(
            "r",
            Stream.concat(
                    table.locks().values().stream().map(LockRecord::rollout),
                    table.tickets().stream().map(Ticket::rollout))
                .flatMap(Optional::stream)));
  }

  private static long highest(String letter, Stream<String> ids) {
    return ids.filter(id -> id.matches(letter + "[0-9]{1,18}"))
        .mapToLong(id -> Long.parseLong(id.substring(letter.length())))
        .max()
        .orElse(0);
  }

  private String serial(String table, String column) {
    return Sql.one(
        handle,
        String.class,
        "SELECT pg_get_serial_sequence(:table, :column)",
        Map.of("table", table, "column", column));
  }

  private void raise(String sequence, long least) {
    Sql.one(
        handle,
        Long.class,
        """
        SELECT setval(CAST(:name AS regclass),
                      GREATEST(nextval(CAST(:name AS regclass)), :least))
        """,
        Map.of("name", sequence, "least", least));
  }
}
