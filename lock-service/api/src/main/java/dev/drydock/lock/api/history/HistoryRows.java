package dev.drydock.lock.api.history;

import dev.drydock.api.EventKind;
import dev.drydock.api.LockChange;
import dev.drydock.api.LockHistoryEntry;
import dev.drydock.lock.api.LockRecords;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.history.HistoryEntry;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.store.Selection;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The written history. Whoever writes moves the bookmark in the same transaction, from where it
 * believes it to be: of two writers one finds it elsewhere and writes nothing, so each change is
 * written once, however often it is read. Safe for use by many threads.
 */
final class HistoryRows {
  private static final Columns<LockHistoryEntry> ENTRIES =
      Columns.of(LockHistoryEntry.class, "lock_history h")
          .field("revision", "h.revision")
          .field("at", "h.at")
          .field("change", "h.what")
          .field("hosts", "to_jsonb(h.hosts)")
          .field("lock", "NULLIF(h.lock_id, '')")
          .field("kind", "NULLIF(h.kind, '')")
          .field("holder", "NULLIF(h.holder, '')")
          .field("by", "NULLIF(h.by, '')")
          .field("reason", "h.reason")
          .field("token", "NULLIF(h.token, 0)")
          .field("rollout", "h.rollout")
          .complete();
  private static final String NEWEST_FIRST = "h.epoch DESC, h.revision DESC, h.ordinal DESC";

  private final Jdbi jdbi;

  HistoryRows(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * The revision up to which everything of this epoch is written. The first epoch begins with the
   * log; a later one at the revision where it began, and that something may be missing before it is
   * told: revisions of another epoch do not compare, and would be written twice.
   */
  long bookmark(long epoch, long began) {
    return jdbi.inTransaction(
        handle -> {
          handle
              .createUpdate(
                  """
                  INSERT INTO lock_history_bookmark (epoch, revision) VALUES (:epoch, 0)
                  ON CONFLICT (only_one) DO NOTHING
                  """)
              .bind("epoch", epoch)
              .execute();
          int begun =
              handle
                  .createUpdate(
                      """
                      UPDATE lock_history_bookmark SET epoch = :epoch, revision = :began
                      WHERE epoch < :epoch
                      """)
                  .bind("epoch", epoch)
                  .bind("began", began)
                  .execute();
          if (begun == 1) {
            HistoryEntry gap = HistoryEntry.gap(began, began);
            insert(handle, epoch, 0, gap);
            tell(handle, gap);
          }
          return handle
              .createQuery("SELECT revision FROM lock_history_bookmark WHERE epoch = :epoch")
              .bind("epoch", epoch)
              .mapTo(Long.class)
              .findOne()
              .orElseThrow(
                  () ->
                      new IllegalStateException(
                          "the lock history is of a later epoch than " + epoch));
        });
  }

  /**
   * Writes what happened after {@code from} up to {@code to}, and tells it.
   *
   * @return false if somebody else moved the bookmark: nothing is written
   */
  boolean append(long epoch, long from, long to, List<HistoryEntry> entries) {
    return jdbi.inTransaction(
        handle -> {
          int moved =
              handle
                  .createUpdate(
                      "UPDATE lock_history_bookmark SET revision = :to WHERE epoch = :epoch AND"
                          + " revision = :from")
                  .bind("epoch", epoch)
                  .bind("from", from)
                  .bind("to", to)
                  .execute();
          if (moved == 0) {
            return false;
          }
          for (int i = 0; i < entries.size(); i++) {
            HistoryEntry historyEntry = storable(entries.get(i));
            insert(handle, epoch, i, historyEntry);
            tell(handle, historyEntry);
          }
          return true;
        });
  }

  /** A lapse is noted without its holder, who is on record since the grant. */
  private static void insert(Handle handle, long epoch, int ordinal, HistoryEntry historyEntry) {
    handle
        .createUpdate(
            """
            INSERT INTO lock_history
              (epoch, revision, ordinal, what, lock_id, kind, hosts, holder, by, reason, token, rollout,
               granted_at)
            VALUES
              (:epoch, :revision, :ordinal, :what, :id, :kind, :hosts,
               COALESCE(NULLIF(:holder, ''),
                        (SELECT holder FROM lock_history WHERE lock_id = :id AND lock_id <> ''
                         ORDER BY epoch DESC, revision DESC LIMIT 1), ''),
               :by, :reason, :token, :rollout, :granted)
            """)
        .bind("epoch", epoch)
        .bind("revision", historyEntry.revision())
        .bind("ordinal", ordinal)
        .bind("what", change(historyEntry.what()).name())
        .bind("id", historyEntry.id())
        .bind(
            "kind",
            historyEntry
                .kind()
                .map(kind -> LockRecords.kind(kind, historyEntry.id()).name())
                .orElse(""))
        .bindArray("hosts", String.class, historyEntry.hosts())
        .bind("holder", historyEntry.holder())
        .bind("by", historyEntry.by())
        .bind("reason", historyEntry.reason())
        .bind("token", historyEntry.token())
        .bind("rollout", historyEntry.rollout().orElse(null))
        .bind("granted", historyEntry.grantedAt().map(Timestamp::from).orElse(null))
        .execute();
  }

  /** What batches do is told by their rollouts; the feed has an event for each host. */
  private static void tell(Handle handle, HistoryEntry historyEntry) {
    if (historyEntry.kind().equals(Optional.of(Kind.BATCH))) {
      return;
    }
    kindOf(historyEntry.what())
        .ifPresent(
            kind -> {
              Map<String, Object> data =
                  new HashMap<>(Map.of("by", historyEntry.by(), "reason", historyEntry.reason()));
              if (!historyEntry.id().isEmpty()) {
                data.put("lock", historyEntry.id());
                data.put("holder", historyEntry.holder());
                data.put("hosts", historyEntry.hosts());
              }
              if (historyEntry.hosts().isEmpty()) {
                new NewEvent(kind, historyEntry.rollout(), Optional.empty(), data).append(handle);
              }
              for (String host : historyEntry.hosts()) {
                new NewEvent(kind, historyEntry.rollout(), Optional.of(host), data).append(handle);
              }
            });
  }

  private static LockChange change(HistoryEntry.What what) {
    return switch (what) {
      case QUEUED -> LockChange.Queued;
      case LEFT -> LockChange.Left;
      case GRANTED -> LockChange.Granted;
      case CHECKED -> LockChange.Checked;
      case QUARANTINED -> LockChange.Quarantined;
      case LAPSED -> LockChange.Lapsed;
      case ENDED -> LockChange.Ended;
      case FROZEN -> LockChange.Frozen;
      case UNFROZEN -> LockChange.Unfrozen;
      case GAP -> LockChange.Gap;
    };
  }

  private static Optional<EventKind> kindOf(HistoryEntry.What what) {
    return switch (what) {
      case QUEUED -> Optional.of(EventKind.TicketQueued);
      case LEFT -> Optional.of(EventKind.TicketLeft);
      case GRANTED -> Optional.of(EventKind.LockGranted);
      case CHECKED -> Optional.empty();
      case QUARANTINED -> Optional.of(EventKind.LockQuarantined);
      case LAPSED -> Optional.of(EventKind.LockLapsed);
      case ENDED -> Optional.of(EventKind.LockEnded);
      case FROZEN -> Optional.of(EventKind.FleetFrozen);
      case UNFROZEN -> Optional.of(EventKind.FleetUnfrozen);
      case GAP -> Optional.of(EventKind.LockHistoryGap);
    };
  }

  /** All of it, newest first. */
  Page<LockHistoryEntry> all(PageRequest pageRequest, FieldMask fieldMask) {
    return ENTRIES.select(fieldMask).orderBy(NEWEST_FIRST).page(jdbi, pageRequest);
  }

  /** What happened on one host. */
  Page<LockHistoryEntry> ofHost(String host, PageRequest pageRequest, FieldMask fieldMask) {
    Selection<LockHistoryEntry> rows =
        ENTRIES
            .select(fieldMask)
            .where("h.hosts @> ARRAY[CAST(:host AS text)]")
            .bind("host", storable(host));
    return rows.orderBy(NEWEST_FIRST).page(jdbi, pageRequest);
  }

  /** When the last lapse of one lock was written down. */
  Optional<Instant> lapsedAt(String id) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT h.at FROM lock_history h WHERE h.lock_id = :id AND h.what = :lapsed"
                        + " ORDER BY "
                        + NEWEST_FIRST
                        + " LIMIT 1")
                .bind("id", storable(id))
                .bind("lapsed", LockChange.Lapsed.name())
                .mapTo(Instant.class)
                .findOne());
  }

  /** What became of one ticket or lock. */
  Page<LockHistoryEntry> ofLock(String id, PageRequest pageRequest, FieldMask fieldMask) {
    Selection<LockHistoryEntry> rows =
        ENTRIES.select(fieldMask).where("h.lock_id = :id").bind("id", storable(id));
    return rows.orderBy(NEWEST_FIRST).page(jdbi, pageRequest);
  }

  /** What somebody wrote into etcd may be anything, and must not stop what comes after it. */
  private static HistoryEntry storable(HistoryEntry historyEntry) {
    return new HistoryEntry(
        historyEntry.revision(),
        historyEntry.what(),
        storable(historyEntry.id()),
        historyEntry.kind(),
        historyEntry.hosts().stream().map(HistoryRows::storable).toList(),
        storable(historyEntry.holder()),
        storable(historyEntry.by()),
        storable(historyEntry.reason()),
        historyEntry.token(),
        historyEntry.rollout().map(HistoryRows::storable),
        historyEntry.grantedAt());
  }

  /** PostgreSQL has no text with NUL: nothing is found by one. */
  private static String storable(String text) {
    return text.replace('\0', '\uFFFD');
  }
}
