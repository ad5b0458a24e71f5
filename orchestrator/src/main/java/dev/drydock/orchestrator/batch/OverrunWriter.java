package dev.drydock.orchestrator.batch;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.core.model.DrainOverrun;
import dev.drydock.orchestrator.core.model.DrainOverrun.Decided;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import dev.drydock.platform.store.Sql;
import java.sql.Timestamp;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Writes the rows of hosts that were not drained in time. The transaction holds the lock of the
 * grant: an answer, the expiry and an abort come one after the other, and the first stands.
 */
public final class OverrunWriter {
  private final Handle handle;
  private final GrantRow grant;

  /** Writes for one grant, whose lock the transaction of the handle holds. */
  public OverrunWriter(Handle handle, GrantRow grant) {
    this.handle = handle;
    this.grant = grant;
  }

  /** The overrun that a question is about. */
  public static DrainOverrun read(Handle handle, String id) {
    return handle
        .createQuery(OverrunMapper.COLUMNS + "WHERE id = :id")
        .bind("id", id)
        .map(new OverrunMapper())
        .one();
  }

  void write(DrainOverrun overrun) {
    handle
        .createUpdate(
            """
            INSERT INTO late_drains
              (id, grant_id, number, jobs, hosts, way, pace, says, remind_seconds, remind_at,
               expires_at)
            VALUES (:id, :grant, :number, :jobs, :hosts, :way, :pace, :says, :remind, :remindAt,
                    :expiresAt)
            """)
        .bind("id", overrun.id(grant.id()))
        .bind("grant", grant.id())
        .bind("number", overrun.number())
        .bindArray("jobs", String.class, overrun.jobs())
        .bindArray("hosts", String.class, overrun.hosts())
        .bind("way", overrun.way().word())
        .bind("pace", overrun.pace().word())
        .bind("says", overrun.says())
        .bind("remind", overrun.remindEvery().toSeconds())
        .bind("remindAt", Timestamp.from(overrun.remindAt()))
        .bind("expiresAt", Timestamp.from(overrun.expiresAt()))
        .execute();
    tell(
        overrun,
        EventKind.DrainLate,
        Map.of(
            "grant", grant.id(),
            "onTimeout", overrun.way().word(),
            "pace", overrun.pace().word(),
            "reason", overrun.says()));
    if (overrun.way().asks()) {
      ask(overrun, false);
    }
    overrun.decided().ifPresent(decided -> decide(overrun, decided));
  }

  void remind(DrainOverrun overrun) {
    Sql.update(
        handle,
        "UPDATE late_drains SET remind_at = :at WHERE id = :id",
        Map.of("at", overrun.remindAt(), "id", overrun.id(grant.id())));
    ask(overrun, true);
  }

  private void ask(DrainOverrun overrun, boolean again) {
    tell(
        overrun,
        EventKind.DrainAsked,
        Map.of(
            "grant", grant.id(),
            "question", overrun.id(grant.id()),
            "again", again,
            "expiresAt", overrun.expiresAt().toEpochMilli(),
            "reason", overrun.says()));
  }

  /** Writes what becomes of it. From here on that stands. */
  public void decide(DrainOverrun overrun, Decided decided) {
    Sql.update(
        handle,
        """
        UPDATE late_drains
        SET decision = :decision, decided_by = :by, decided_reason = :reason,
            decided_at = clock_timestamp(),
            open_round = (SELECT COALESCE(max(round), 0) FROM checks
                          WHERE grant_id = :grant AND kind = 'open')
        WHERE id = :id AND decision IS NULL
        """,
        Map.of(
            "decision", decided.decision().word(),
            "by", decided.by(),
            "reason", decided.reason(),
            "grant", grant.id(),
            "id", overrun.id(grant.id())));
    if (overrun.way().asks()) {
      tell(
          overrun,
          EventKind.DrainAnswered,
          Map.of(
              "grant", grant.id(),
              "question", overrun.id(grant.id()),
              "answer", decided.decision().word(),
              "by", decided.by(),
              "reason", decided.reason()));
    }
  }

  private void tell(DrainOverrun overrun, EventKind kind, Map<String, ?> data) {
    overrun.hosts().forEach(host -> Event.ofHost(kind, grant.rollout(), host, data).append(handle));
  }
}
