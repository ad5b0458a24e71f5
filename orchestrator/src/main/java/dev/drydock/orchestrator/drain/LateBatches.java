package dev.drydock.orchestrator.drain;

import dev.drydock.api.DrainPace;
import dev.drydock.api.EventKind;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.orchestrator.drain.LateBatch.Decision;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.CheckStore;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * The rows of batches of which hosts were not drained in time. Whoever writes one holds the lock of
 * its grant: so an answer, the expiry and an abort come one after the other, and the first stands.
 */
public final class LateBatches {
  /** Who decided what a policy says, and who when nobody answered. */
  private static final String BY_POLICY = "policy";

  static final String BY_EXPIRY = "drydock";

  private static final String COLUMNS =
      """
      SELECT id, grant_id, jobs, hosts, way, pace, says, expires_at, force_by, decision, decided_by,
             decided_reason, COALESCE(open_round, 0) AS open_round,
             expires_at <= clock_timestamp() AS expired, remind_at <= clock_timestamp() AS remind_due
      FROM late_drains
      """;

  private LateBatches() {}

  /**
   * Why a batch waits.
   *
   * @param timeout how long its hosts had
   */
  public record Cause(List<JobRow> late, Duration timeout) {
    public Cause {
      late = List.copyOf(late);
    }

    List<String> jobs() {
      return late.stream().map(JobRow::id).toList();
    }

    List<String> hosts() {
      return late.stream().map(JobRow::host).toList();
    }
  }

  static Optional<LateBatch> find(Handle handle, String id) {
    return handle
        .createQuery(COLUMNS + " WHERE id = :id")
        .bind("id", id)
        .map((row, _) -> LateBatch.of(row))
        .findOne();
  }

  /** The newest of a grant, if ever one of its hosts was late. */
  public static Optional<LateBatch> last(Handle handle, String grant) {
    return handle
        .createQuery(COLUMNS + " WHERE grant_id = :grant ORDER BY number DESC LIMIT 1")
        .bind("grant", grant)
        .map((row, _) -> LateBatch.of(row))
        .findOne();
  }

  /**
   * The row of these ended Drains: the one there is, or a new one that says what its policies do.
   */
  public static LateBatch of(Handle handle, GrantRow grant, Cause cause, LateDrain policy) {
    // Some of its hosts may have been quarantined since.
    return last(handle, grant.id())
        .filter(row -> Set.copyOf(row.jobs()).containsAll(cause.jobs()))
        .orElseGet(() -> begin(handle, grant, cause, policy));
  }

  private static LateBatch begin(Handle handle, GrantRow grant, Cause cause, LateDrain policy) {
    String id =
        handle
            .createQuery(
                """
                INSERT INTO late_drains
                  (id, grant_id, number, jobs, hosts, way, pace, says, remind_seconds, remind_at, expires_at)
                SELECT :grant || '.' || n, :grant, n, :jobs, :hosts, :way, :pace, :says, :remind,
                       clock_timestamp() + make_interval(secs => :remind),
                       clock_timestamp() + make_interval(secs => :expires)
                FROM (SELECT count(*) + 1 AS n FROM late_drains WHERE grant_id = :grant) next
                RETURNING id
                """)
            .bind("grant", grant.id())
            .bindArray("jobs", String.class, cause.jobs())
            .bindArray("hosts", String.class, cause.hosts())
            .bind("way", Words.of(policy.way()))
            .bind("pace", pace(handle, cause).name())
            .bind("says", says(handle, cause))
            .bind("remind", policy.remind().toSeconds())
            .bind("expires", policy.expires().toSeconds())
            .mapTo(String.class)
            .one();
    LateBatch row = find(handle, id).orElseThrow();
    tell(
        handle,
        grant,
        row,
        EventKind.DrainLate,
        Map.of(
            "grant", grant.id(),
            "onTimeout", Words.of(row.way()),
            "pace", row.pace().name(),
            "reason", row.says()));
    if (row.way().asks()) {
      ask(handle, grant, row, false);
      return row;
    }
    decide(handle, grant, row, new LateBatch.Decided(decision(row.way()), BY_POLICY, ""));
    return find(handle, id).orElseThrow();
  }

  private static Decision decision(LateDrain.Way way) {
    return switch (way) {
      case REVERT -> Decision.REVERT;
      case REQUEUE -> Decision.REQUEUE;
      case QUARANTINE -> Decision.QUARANTINE;
      case ASK, FORCE -> throw new IllegalArgumentException(way + " is for people to decide");
    };
  }

  /** The worst of its hosts: one that is stuck never ends, however the others do. */
  private static DrainPace pace(Handle handle, Cause cause) {
    List<DrainPace> paces =
        cause.late().stream()
            .flatMap(job -> DrainProgress.of(handle, job.id()).stream())
            .map(progress -> progress.pace(cause.timeout()))
            .toList();
    if (paces.contains(DrainPace.Stuck)) {
      return DrainPace.Stuck;
    }
    return paces.isEmpty() || paces.contains(DrainPace.Unknown)
        ? DrainPace.Unknown
        : DrainPace.Slow;
  }

  private static String says(Handle handle, Cause cause) {
    JobRow first = cause.late().getFirst();
    String progress =
        DrainProgress.of(handle, first.id())
            .map(told -> told.says(cause.timeout()))
            .orElse("how much was left was not told");
    int more = cause.late().size() - 1;
    return "%s was not drained within %d s (%s): %s%s"
        .formatted(
            first.host(),
            cause.timeout().toSeconds(),
            progress,
            first.failure(),
            more == 0
                ? ""
                : "; nor "
                    + (more == 1 ? "was 1 other host" : "were %d other hosts").formatted(more));
  }

  private static void ask(Handle handle, GrantRow grant, LateBatch row, boolean again) {
    BatchHosts.says(
        handle, grant.id(), row.hosts(), row.says() + "; drydock drain answer " + row.id());
    tell(
        handle,
        grant,
        row,
        EventKind.DrainAsked,
        Map.of(
            "grant", grant.id(),
            "question", row.id(),
            "again", again,
            "expiresAt", row.expiresAt().toEpochMilli(),
            "reason", row.says()));
  }

  /** Does what time asks for: reminds people, or requeues what nobody answered. */
  public static LateBatch look(Handle handle, GrantRow grant, LateBatch row) {
    if (row.decided().isPresent()) {
      return row;
    }
    if (row.expired()) {
      decide(
          handle,
          grant,
          row,
          new LateBatch.Decided(Decision.REQUEUE, BY_EXPIRY, "nobody answered in time"));
    } else if (row.remindDue()) {
      handle
          .createUpdate(
              """
              UPDATE late_drains
              SET remind_at = clock_timestamp() + make_interval(secs => remind_seconds)
              WHERE id = :id
              """)
          .bind("id", row.id())
          .execute();
      ask(handle, grant, row, true);
    }
    return find(handle, row.id()).orElseThrow();
  }

  /** Somebody asked that what is left is stopped; somebody else has to approve it. */
  static void askForce(Handle handle, LateBatch row, String by) {
    handle
        .createUpdate("UPDATE late_drains SET force_by = :by WHERE id = :id AND force_by IS NULL")
        .bind("by", by)
        .bind("id", row.id())
        .execute();
  }

  /** From here on it stands. */
  static void decide(Handle handle, GrantRow grant, LateBatch row, LateBatch.Decided decided) {
    int open =
        CheckStore.latest(handle, grant.id(), Check.Kind.OPEN)
            .map(CheckStore.Latest::round)
            .orElse(0);
    handle
        .createUpdate(
            """
            UPDATE late_drains
            SET decision = :decision, decided_by = :by, decided_reason = :reason,
                decided_at = clock_timestamp(), open_round = :open
            WHERE id = :id AND decision IS NULL
            """)
        .bind("decision", Words.of(decided.decision()))
        .bind("by", decided.by())
        .bind("reason", decided.reason())
        .bind("open", open)
        .bind("id", row.id())
        .execute();
    if (row.way().asks()) {
      tell(
          handle,
          grant,
          row,
          EventKind.DrainAnswered,
          Map.of(
              "grant", grant.id(),
              "question", row.id(),
              "answer", Words.of(decided.decision()),
              "by", decided.by(),
              "reason", decided.reason()));
    }
  }

  private static void tell(
      Handle handle, GrantRow grant, LateBatch row, EventKind kind, Map<String, ?> data) {
    row.hosts().forEach(host -> Event.ofHost(kind, grant.rollout(), host, data).append(handle));
  }
}
