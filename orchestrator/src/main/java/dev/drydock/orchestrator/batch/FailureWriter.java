package dev.drydock.orchestrator.batch;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.core.model.HostFailure;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Writes the rows of hosts that failed. The transaction holds the lock of the grant: an answer and
 * an abort come one after the other, and the first stands.
 */
public final class FailureWriter {
  private final Handle handle;
  private final GrantRow grant;

  /** Writes for one grant, whose lock the transaction of the handle holds. */
  public FailureWriter(Handle handle, GrantRow grant) {
    this.handle = handle;
    this.grant = grant;
  }

  /** The failure that a question is about. */
  public static HostFailure read(Handle handle, String id) {
    return handle
        .createQuery(FailureMapper.COLUMNS + "WHERE id = :id")
        .bind("id", id)
        .map(new FailureMapper())
        .one();
  }

  void write(HostFailure failure) {
    handle
        .createUpdate(
            """
            INSERT INTO blocked_batches
              (id, grant_id, number, step, jobs, hosts, reasons, goes_back, decision, decided_by,
               decided_reason, decided_at)
            VALUES (:id, :grant, :number, :step, :jobs, :hosts, CAST(:reasons AS jsonb), :back,
                    :decision, :by, :reason,
                    CASE WHEN CAST(:decision AS text) IS NOT NULL THEN clock_timestamp() END)
            """)
        .bind("id", failure.id(grant.id()))
        .bind("grant", grant.id())
        .bind("number", failure.number())
        .bind("step", failure.step())
        .bindArray("jobs", String.class, failure.jobs())
        .bindArray("hosts", String.class, hosts(failure))
        .bind("reasons", Json.writeTree(new HashMap<>(failure.reasons())))
        .bind("back", failure.goingBack())
        .bind("decision", failure.decided().map(how -> how.decision().word()))
        .bind("by", failure.decided().map(HostFailure.Decided::by))
        .bind("reason", failure.decided().map(HostFailure.Decided::reason).orElse(""))
        .execute();
    if (failure.decided().isEmpty()) {
      tell(
          failure,
          EventKind.BatchBlocked,
          Map.of("step", failure.step(), "reason", failure.says()));
    }
  }

  /** People said what becomes of it. From here on that stands. */
  public void answered(HostFailure failure, HostFailure.Decided decided) {
    Sql.update(
        handle,
        """
        UPDATE blocked_batches
        SET decision = :decision, decided_by = :by, decided_reason = :reason,
            decided_at = clock_timestamp()
        WHERE id = :id AND decision IS NULL
        """,
        Map.of(
            "decision", decided.decision().word(),
            "by", decided.by(),
            "reason", decided.reason(),
            "id", failure.id(grant.id())));
    tell(
        failure,
        EventKind.BatchUnblocked,
        Map.of(
            "answer", decided.decision().word(), "by", decided.by(), "reason", decided.reason()));
  }

  private void tell(HostFailure failure, EventKind kind, Map<String, String> more) {
    Map<String, Object> data = new HashMap<>(more);
    data.put("grant", grant.id());
    data.put("question", failure.id(grant.id()));
    hosts(failure).forEach(host -> Event.ofHost(kind, grant.rollout(), host, data).append(handle));
  }

  private static List<String> hosts(HostFailure failure) {
    return failure.reasons().keySet().stream().sorted().toList();
  }
}
