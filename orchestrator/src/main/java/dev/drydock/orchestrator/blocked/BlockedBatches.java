package dev.drydock.orchestrator.blocked;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.blocked.Blockage.Decided;
import dev.drydock.orchestrator.blocked.Blockage.Decision;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import dev.drydock.proto.Json;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * The rows of batches of which hosts failed. Whoever writes one holds the lock of its grant: so an
 * answer and an abort come one after the other, and the first stands.
 */
public final class BlockedBatches {
  private static final String BY_POLICY = "policy";
  private static final String COLUMNS =
      """
      SELECT id, grant_id, jobs, CAST(reasons AS text) AS reasons, goes_back, decision, decided_by,
             decided_reason
      FROM blocked_batches
      """;

  private BlockedBatches() {}

  /**
   * What ended badly.
   *
   * @param step what hosts were at, as people read it
   * @param reasons why, by host
   */
  public record Cause(String step, List<String> jobs, Map<String, String> reasons) {
    public Cause {
      jobs = List.copyOf(jobs);
      reasons = Map.copyOf(reasons);
    }

    /** Why, in one sentence. */
    public String says() {
      return Blockage.says(reasons);
    }
  }

  /** The row with the id. */
  static Optional<Blockage> find(Handle handle, String id) {
    return handle
        .createQuery(COLUMNS + " WHERE id = :id")
        .bind("id", id)
        .map((row, _) -> Blockage.of(row))
        .findOne();
  }

  /** All of a grant, oldest first. */
  private static List<Blockage> all(Handle handle, String grant) {
    return handle
        .createQuery(COLUMNS + " WHERE grant_id = :grant ORDER BY number")
        .bind("grant", grant)
        .map((row, _) -> Blockage.of(row))
        .list();
  }

  /** Hosts that were decided to be kept aside, with the reason, whether or not they still are. */
  public static Map<String, String> aside(Handle handle, String grant) {
    Map<String, String> aside = new TreeMap<>();
    all(handle, grant).stream()
        .filter(row -> row.decided().filter(is -> is.decision() == Decision.GO_ON).isPresent())
        .forEach(
            row ->
                row.reasons()
                    .forEach(
                        (host, reason) ->
                            aside.putIfAbsent(host, reason + "; " + row.decided().get().says())));
    return aside;
  }

  /** The jobs any of its rows is about, decided or not. */
  public static Set<String> jobs(Handle handle, String grant) {
    return all(handle, grant).stream()
        .flatMap(row -> row.jobs().stream())
        .collect(Collectors.toSet());
  }

  /**
   * The row of these jobs: the one there is, or a new one.
   *
   * @param policy what policies say; people are asked if they do not
   */
  public static Blockage of(Handle handle, GrantRow grant, Cause cause, Optional<Decision> policy) {
    // Some of its hosts may have been quarantined since.
    return all(handle, grant.id()).stream()
        .filter(row -> Set.copyOf(row.jobs()).containsAll(cause.jobs()))
        .findFirst()
        .orElseGet(() -> begin(handle, grant, cause, policy));
  }

  private static Blockage begin(
      Handle handle, GrantRow grant, Cause cause, Optional<Decision> policy) {
    String id =
        handle
            .createQuery(
                """
                INSERT INTO blocked_batches (id, grant_id, number, step, jobs, hosts, reasons, goes_back)
                SELECT :grant || '.' || n, :grant, n, :step, :jobs, :hosts, CAST(:reasons AS jsonb), :back
                FROM (SELECT count(*) + 1 AS n FROM blocked_batches WHERE grant_id = :grant) next
                RETURNING id
                """)
            .bind("grant", grant.id())
            .bind("step", cause.step())
            .bindArray("jobs", String.class, cause.jobs())
            .bindArray("hosts", String.class, cause.reasons().keySet().toArray(new String[0]))
            .bind("reasons", Json.writeTree(new HashMap<>(cause.reasons())))
            .bind("back", grant.undo().isPresent())
            .mapTo(String.class)
            .one();
    Blockage row = find(handle, id).orElseThrow();
    if (policy.isPresent()) {
      decide(handle, row, new Decided(policy.get(), BY_POLICY, ""));
      return find(handle, id).orElseThrow();
    }
    row.reasons()
        .forEach(
            (host, reason) ->
                BatchHosts.says(
                    handle, grant.id(), List.of(host), reason + "; drydock blocked answer " + id));
    tell(
        handle,
        grant,
        row,
        EventKind.BatchBlocked,
        Map.of("step", cause.step(), "reason", row.says()));
    return row;
  }

  /** From here on it stands. */
  static void decide(Handle handle, Blockage row, Decided decided) {
    handle
        .createUpdate(
            """
            UPDATE blocked_batches
            SET decision = :decision, decided_by = :by, decided_reason = :reason,
                decided_at = clock_timestamp()
            WHERE id = :id AND decision IS NULL
            """)
        .bind("decision", decided.decision().word())
        .bind("by", decided.by())
        .bind("reason", decided.reason())
        .bind("id", row.id())
        .execute();
  }

  /** People said what becomes of it. */
  static void answered(Handle handle, GrantRow grant, Blockage row, Decided decided) {
    decide(handle, row, decided);
    BatchHosts.says(handle, grant.id(), row.hosts(), "");
    tell(
        handle,
        grant,
        row,
        EventKind.BatchUnblocked,
        Map.of(
            "answer", decided.decision().word(), "by", decided.by(), "reason", decided.reason()));
  }

  private static void tell(
      Handle handle, GrantRow grant, Blockage row, EventKind kind, Map<String, String> more) {
    Map<String, Object> data = new HashMap<>(more);
    data.put("grant", grant.id());
    data.put("question", row.id());
    Collection<String> hosts = row.hosts();
    hosts.forEach(host -> Event.ofHost(kind, grant.rollout(), host, data).append(handle));
  }
}
