package dev.drydock.lock.api.history;

import dev.drydock.lock.etcd.EtcdLog;
import dev.drydock.platform.http.Resources;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Jdbi;

/** The history of the lock service: written by the elected grantor's process, read by anybody. */
public final class LockHistory {
  private final EtcdLog etcd;
  private final HistoryRows rows;

  public LockHistory(EtcdLog etcd, Jdbi jdbi) {
    this.etcd = etcd;
    rows = new HistoryRows(jdbi);
  }

  /**
   * Writes it from now on.
   *
   * @param wanted whether this process is the one to write
   */
  public AutoCloseable start(BooleanSupplier wanted) {
    return start(wanted, HistoryTailer.Kept.DEFAULT);
  }

  AutoCloseable start(BooleanSupplier wanted, HistoryTailer.Kept kept) {
    return HistoryTailer.start(etcd, rows, wanted, kept);
  }

  /** When the last lapse of a lock was written down. */
  public Optional<Instant> lapsedAt(String lock) {
    return rows.lapsedAt(lock);
  }

  public Resources resources() {
    return Resources.of(LockHistoryResource.class, () -> new LockHistoryResource(rows));
  }
}
