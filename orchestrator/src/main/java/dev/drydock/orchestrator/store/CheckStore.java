package dev.drydock.orchestrator.store;

import dev.drydock.api.EventKind;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Verdict;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Update;

/**
 * Checks of granted batches (protocol P7): asked for by the batch or by the claim of its first
 * undeploy, decided by the grantor. Each asking is a round of its own. Safe for use by many
 * threads.
 */
public final class CheckStore {
  private static final int DECIDED_AT_ONCE = 256;

  private final Jdbi jdbi;
  private final Transactor transactor;
  private final ZonePolicy zonePolicy;
  private final BatchAdvancer batchAdvancer;

  public CheckStore(Jdbi jdbi, ZonePolicy zonePolicy, BatchAdvancer batchAdvancer) {
    this.jdbi = jdbi;
    this.zonePolicy = zonePolicy;
    this.batchAdvancer = batchAdvancer;
    this.transactor = new Transactor(jdbi);
  }

  /**
   * The latest round of a check.
   *
   * @param state requested, Grant or Wait
   */
  public record Latest(int round, String state) {}

  /** A check that waits for a verdict. */
  private record Requested(String grantId, String kind, int round, List<String> hosts) {
    Check check() {
      return new Check(grantId, Check.Kind.valueOf(kind.toUpperCase(Locale.ROOT)), round, hosts);
    }
  }

  /** Checks that wait for a verdict, oldest first, about the hosts still in their batches. */
  List<Check> requested() {
    return Sql.list(
            jdbi,
            Requested.class,
            """
            SELECT c.grant_id, c.kind, c.round, ARRAY(
              SELECT host FROM host_upgrades
              WHERE grant_id = g.id AND state = 'InProgress' ORDER BY host) AS hosts
            FROM checks c JOIN grants g ON g.id = c.grant_id
            WHERE c.state = 'requested' AND g.state = 'granted'
            ORDER BY c.created_at, c.grant_id LIMIT :limit
            """,
            Map.of("limit", DECIDED_AT_ONCE))
        .stream()
        .map(Requested::check)
        .toList();
  }

  /**
   * Verdict, stage, event and what the batch does then in one transaction; the verdict of a decided
   * round stays. A batch that is not all of its fault zones any more passes no check, whatever the
   * grantor found (protocol P7).
   */
  void decided(Check check, Verdict judged) {
    BatchAdvancer.Move move = batchAdvancer.ready();
    transactor.call(
        handle -> {
          GrantRow grant = GrantRow.lock(handle, check.grantId());
          Verdict verdict =
              judged.granted()
                  ? ZoneClosure.grown(handle, grant, zonePolicy)
                      .map(why -> new Verdict(Verdict.Decision.WAIT, why, judged.findings()))
                      .orElse(judged)
                  : judged;
          if (store(handle, check, verdict)) {
            if (verdict.granted()) {
              raiseStage(handle, check);
            }
            event(grant, check, verdict).append(handle);
            move.moved(handle, grant.id(), word(check.kind()));
          }
          return true;
        });
  }

  private static boolean store(Handle handle, Check check, Verdict verdict) {
    return Sql.update(
            handle,
            """
            UPDATE checks
            SET state = :state, evidence = CAST(:evidence AS jsonb),
                valid_until = :until, decided_at = clock_timestamp(), decided_event = last_event()
            WHERE grant_id = :grant AND kind = :kind AND round = :round AND state = 'requested'
            """,
            Map.of(
                "state", verdict.granted() ? "Grant" : "Wait",
                "evidence", Evidence.json(verdict),
                "until", verdict.until(),
                "grant", check.grantId(),
                "kind", word(check.kind()),
                "round", check.round()))
        == 1;
  }

  private static void raiseStage(Handle handle, Check check) {
    String sql =
        switch (check.kind()) {
          case CONFIRM ->
              "UPDATE grants SET stage = 'confirmed' WHERE id = :id AND stage = 'provisional'";
          // The fleet was read after the check was asked for, at an unknown time before now.
          case OPEN ->
              """
              UPDATE grants SET stage = 'open', opened_at = c.created_at, open_until = c.valid_until
              FROM checks c
              WHERE id = :id AND c.grant_id = id AND c.kind = :kind AND c.round = :round
              """;
        };
    Update update = handle.createUpdate(sql).bind("id", check.grantId());
    if (check.kind() == Check.Kind.OPEN) {
      update.bind("kind", word(check.kind())).bind("round", check.round());
    }
    update.execute();
  }

  private static NewEvent event(GrantRow grant, Check check, Verdict verdict) {
    return NewEvent.ofRollout(
        EventKind.BatchChecked,
        grant.rollout(),
        Map.of(
            "grant", grant.id(),
            "check", word(check.kind()),
            "round", check.round(),
            "verdict", verdict.decision().word(),
            "reason", verdict.reason()));
  }

  /** The latest round, if the check was ever asked for. */
  public static Optional<Latest> latest(Handle handle, String grant, Check.Kind kind) {
    return Sql.find(
        handle,
        Latest.class,
        """
        SELECT round, state
        FROM checks WHERE grant_id = :grant AND kind = :kind ORDER BY round DESC LIMIT 1
        """,
        Map.of("grant", grant, "kind", word(kind)));
  }

  /**
   * Asks for a verdict in a new round, unless one is asked for already. The caller holds the lock
   * of the grant.
   *
   * @return the round that will be decided
   */
  public static int ask(Handle handle, GrantRow grant, Check.Kind kind) {
    Optional<Latest> latest = latest(handle, grant.id(), kind);
    if (latest.isPresent() && latest.get().state().equals("requested")) {
      return latest.get().round();
    }
    int round = latest.map(Latest::round).orElse(0) + 1;
    Sql.texts(
        handle,
        """
        WITH asked AS (
          INSERT INTO checks (grant_id, kind, round, run, state)
          VALUES (:grant, :kind, :round, :run, 'requested') RETURNING round)
        SELECT pg_notify(:channel, '') FROM asked
        """,
        Map.of(
            "grant", grant.id(),
            "kind", word(kind),
            "round", round,
            "run", grant.run(),
            "channel", Wakeups.GRANTOR_CHANNEL));
    return round;
  }

  static String word(Check.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }
}
