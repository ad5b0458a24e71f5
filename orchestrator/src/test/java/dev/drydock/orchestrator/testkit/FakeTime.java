package dev.drydock.orchestrator.testkit;

import dev.drydock.lock.core.StoreTime;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** An etcd that is of the time of the rows, until told otherwise. Safe for use by many threads. */
public final class FakeTime implements StoreTime {
  private final Jdbi jdbi;
  private final Rows rows;
  private final List<Committed> committed = new ArrayList<>();
  private long ahead;
  private long generation;
  private int forgotten;

  public FakeTime(Jdbi jdbi) {
    this.jdbi = jdbi;
    this.rows = new Rows(jdbi);
  }

  /** From now on etcd has so many beats more than were taken, or fewer than were acknowledged. */
  public synchronized void ahead(long beats) {
    ahead = beats;
  }

  /** A policy was changed. */
  public synchronized void bumped() {
    generation++;
  }

  /** A grant that etcd knows of, whatever the rows say. */
  public synchronized void committed(Committed grant) {
    committed.add(grant);
  }

  @Override
  public synchronized Now now() {
    return jdbi.withHandle(
        handle -> {
          long taken = handle.createQuery("SELECT taken FROM store_beats").mapTo(Long.class).one();
          long epoch = handle.createQuery("SELECT epoch FROM store_beats").mapTo(Long.class).one();
          return new Now(Math.max(taken, rows.lastBeat()) + ahead, epoch, generation);
        });
  }

  @Override
  public synchronized void forget() {
    forgotten++;
  }

  /** How often what is kept of it was thrown away. */
  public synchronized int forgotten() {
    return forgotten;
  }

  @Override
  public synchronized List<Committed> committed() {
    return List.copyOf(committed);
  }

  @Override
  public synchronized void begin(long epoch, long beat) {
    ahead = 0;
  }
}
