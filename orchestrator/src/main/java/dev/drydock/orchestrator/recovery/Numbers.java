package dev.drydock.orchestrator.recovery;

import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.StoreTime.Committed;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/** Numbers of a PostgreSQL that was restored: none that etcd knows is given out a second time. */
final class Numbers {
  private final Handle handle;

  Numbers(Handle handle) {
    this.handle = handle;
  }

  /** Go on behind what etcd has. */
  void after(List<Committed> committed, LockTable table) {
    raise("grant_numbers", highest("g", committed.stream().map(Committed::grantId)));
    raise(
        serial("marks", "mark"),
        table.ended().values().stream().mapToLong(Ended::mark).max().orElse(0));
    raise(
        serial("rollouts", "number"),
        highest(
            "r",
            table.locks().values().stream().map(LockRecord::rollout).flatMap(Optional::stream)));
  }

  private static long highest(String letter, Stream<String> ids) {
    return ids.filter(id -> id.matches(letter + "[0-9]{1,18}"))
        .mapToLong(id -> Long.parseLong(id.substring(letter.length())))
        .max()
        .orElse(0);
  }

  private String serial(String table, String column) {
    return handle
        .createQuery("SELECT pg_get_serial_sequence(:table, :column)")
        .bind("table", table)
        .bind("column", column)
        .mapTo(String.class)
        .one();
  }

  private void raise(String sequence, long least) {
    handle
        .createQuery(
            """
            SELECT setval(CAST(:name AS regclass),
                          GREATEST(nextval(CAST(:name AS regclass)), :least))
            """)
        .bind("name", sequence)
        .bind("least", least)
        .mapTo(Long.class)
        .one();
  }
}
