package dev.drydock.impact.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.InventorySnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * Random writers whose transactions overlap, and readers between them, each of whom compares the
 * mirror with a new one that reads every row in the same view. A writer has rows of its own, so
 * that in one thread nobody waits for anybody.
 */
final class MirrorScenario implements AutoCloseable {
  private static final int WRITERS = 3;
  private static final int STEPS = 60;
  private static final List<List<String>> LABELS =
      List.of(List.of(), List.of("rack"), List.of("rack", "row"));

  private final Random random;
  private final FleetMirror mirror;
  private final List<Handle> writers = new ArrayList<>();
  private final Handle late;
  private final Handle reader;

  MirrorScenario(Jdbi jdbi, FleetMirror mirror, Random random) {
    this.random = random;
    this.mirror = mirror;
    for (int writer = 0; writer < WRITERS; writer++) {
      writers.add(jdbi.open());
    }
    late = jdbi.open();
    reader = jdbi.open();
  }

  void tell() {
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(14)) {
        case 0, 1 -> compare(reader, TransactionIsolationLevel.REPEATABLE_READ);
        case 2 -> compare(reader, TransactionIsolationLevel.READ_COMMITTED);
        case 3 -> compareLate();
        case 4, 5 -> removeOrTruncate();
        default -> write(random.nextInt(WRITERS));
      }
    }
    compare(reader, TransactionIsolationLevel.REPEATABLE_READ);
  }

  private void compare(Handle handle, TransactionIsolationLevel level) {
    handle.useTransaction(level, this::compare);
  }

  private void compare(Handle handle) {
    List<String> labels = LABELS.get(random.nextInt(LABELS.size()));
    InventorySnapshot kept = mirror.inTurn(() -> mirror.read(handle, labels));
    FleetMirror fresh = new FleetMirror();
    assertThat(kept)
        .as("the mirror against all rows")
        .isEqualTo(fresh.inTurn(() -> fresh.read(handle, labels)));
  }

  /** A reader whose view may be from before what the mirror has read. */
  private void compareLate() {
    if (late.isInTransaction()) {
      compare(late);
      late.commit();
    } else {
      late.begin();
      late.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      late.execute("SELECT FROM hosts");
    }
  }

  /** Only where nobody would wait for a writer. */
  private void removeOrTruncate() {
    int writer = random.nextInt(WRITERS);
    if (random.nextInt(4) > 0) {
      in(writer).execute("DELETE FROM instances WHERE id = ?", "i" + own(writer, 12));
      writers.get(writer).commit();
    } else if (writers.stream().noneMatch(Handle::isInTransaction) && !late.isInTransaction()) {
      reader.execute("TRUNCATE instances");
    }
  }

  private void write(int writer) {
    Handle handle = in(writer);
    String host = "h" + own(writer, 6);
    String instance = "i" + own(writer, 12);
    switch (random.nextInt(9)) {
      case 0 -> handle.execute("UPDATE hosts SET effect_mark = ? WHERE name = ?", mark(), host);
      case 1 ->
          handle.execute(
              "UPDATE hosts SET vanished_at = CASE WHEN vanished_at IS NULL THEN now() END WHERE"
                  + " name = ?",
              host);
      case 2 ->
          handle.execute(
              "UPDATE hosts SET source = ?, labels = jsonb_build_object('rack', ?) WHERE name = ?",
              "s" + random.nextInt(2),
              "r" + random.nextInt(3),
              host);
      case 3 ->
          handle.execute(
              "UPDATE instances SET vanished_at = now(), mark = ? WHERE id = ?", mark(), instance);
      case 4, 5 -> report(handle, instance);
      case 6 ->
          handle.execute(
              "UPDATE instances SET health = ?, observed_at = clock_timestamp() WHERE id = ?",
              random.nextBoolean() ? "Unhealthy" : "Healthy",
              instance);
      case 7 -> handle.rollback();
      default -> handle.commit();
    }
  }

  private void report(Handle handle, String instance) {
    handle.execute(
        """
        INSERT INTO instances (id, application, host, zone, health, source, mark, observed_at)
        VALUES (?, ?, ?, ?, 'Healthy', 's0', ?, clock_timestamp())
        ON CONFLICT (id) DO UPDATE SET
          application = excluded.application, host = excluded.host, zone = excluded.zone,
          mark = excluded.mark, observed_at = excluded.observed_at, vanished_at = NULL
        """,
        instance,
        "a" + random.nextInt(3),
        "h" + random.nextInt(6),
        "z" + random.nextInt(2),
        mark());
  }

  private Handle in(int writer) {
    Handle handle = writers.get(writer);
    if (!handle.isInTransaction()) {
      handle.begin();
    }
    return handle;
  }

  private int own(int writer, int count) {
    return writer + WRITERS * random.nextInt(count / WRITERS);
  }

  private int mark() {
    return random.nextInt(100);
  }

  @Override
  public void close() {
    writers.forEach(MirrorScenario::end);
    end(late);
    end(reader);
  }

  private static void end(Handle handle) {
    if (handle.isInTransaction()) {
      handle.rollback();
    }
    handle.close();
  }
}
