package dev.drydock.orchestrator.store;

import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the rest of a rollout waiting until its canaries are done and have soaked. Whose turn it is
 * follows from rows alone, by the clock of the database: nothing is remembered here, so that any
 * process may go on. Safe for use by many threads.
 *
 * <p>Properties: a gate that was passed stays passed; a canary that did not end well keeps its gate
 * closed for good; those who wait are no candidates, so that they reserve nothing (protocol P3).
 */
public final class CanaryGates {
  // Looked up for each host: hosts that were written just now have no statistics, and a join of
  // many of them with themselves takes minutes.
  private static final String SAYS =
      """
      (SELECT string_agg(g.says, '; ' ORDER BY g.policy) FROM canary_gates g
       WHERE g.rollout = u.rollout AND g.policy = ANY(u.waits_for))\
      """;

  private final Jdbi jdbi;
  private final Transactor transactor;

  public CanaryGates(Jdbi jdbi) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
  }

  /**
   * Who goes first for one policy.
   *
   * @param canaries in the order of the plan
   * @param waiting hosts of the same rollout that begin later
   */
  public record Gate(
      String policy,
      int version,
      Set<String> applications,
      int soakSeconds,
      List<String> canaries,
      Set<String> waiting) {}

  /** Tells what is not up, by instance, with the reason. */
  @FunctionalInterface
  public interface Watch {
    Map<String, String> notUp(Collection<String> hosts, Collection<String> applications);
  }

  /**
   * Hosts joined the rollout, and are written already: they wait for the canaries that others still
   * wait for, and for canaries of their own only where the rollout had none.
   *
   * @param gates as if the hosts were a rollout of their own
   */
  public static void join(Handle handle, String rollout, List<Gate> gates) {
    Map<String, Boolean> passed =
        Sql.byName(
            handle,
            Boolean.class,
            "SELECT policy, passed_at IS NOT NULL AS passed FROM canary_gates WHERE rollout = :rollout",
            Map.of("rollout", rollout));
    Map<String, Set<String>> waitsFor = new LinkedHashMap<>();
    for (Gate gate : gates) {
      if (Boolean.FALSE.equals(passed.get(gate.policy()))) {
        Stream.concat(gate.canaries().stream(), gate.waiting().stream())
            .forEach(
                host -> waitsFor.computeIfAbsent(host, _ -> new TreeSet<>()).add(gate.policy()));
      }
    }
    write(
        handle,
        rollout,
        gates.stream().filter(gate -> !passed.containsKey(gate.policy())).toList(),
        waitsFor);
  }

  /** Writes the gates of a new rollout whose hosts are written already. */
  public static void write(Handle handle, String rollout, List<Gate> gates) {
    write(handle, rollout, gates, new LinkedHashMap<>());
  }

  private static void write(
      Handle handle, String rollout, List<Gate> gates, Map<String, Set<String>> waitsFor) {
    for (Gate gate : gates) {
      Sql.update(
          handle,
          """
          INSERT INTO canary_gates (rollout, policy, version, applications, hosts, soak_seconds)
          VALUES (:rollout, :policy, :version, :applications, :hosts, :soak)
          """,
          Map.of(
              "rollout", rollout,
              "policy", gate.policy(),
              "version", gate.version(),
              "applications", gate.applications(),
              "hosts", gate.canaries(),
              "soak", gate.soakSeconds()));
      gate.waiting()
          .forEach(host -> waitsFor.computeIfAbsent(host, _ -> new TreeSet<>()).add(gate.policy()));
    }
    Map<Set<String>, List<String>> alike =
        waitsFor.entrySet().stream()
            .collect(
                Collectors.groupingBy(
                    Map.Entry::getValue,
                    Collectors.mapping(Map.Entry::getKey, Collectors.toList())));
    alike.forEach(
        (policies, hosts) ->
            Sql.update(
                handle,
                """
                UPDATE host_upgrades SET waits_for = :policies
                WHERE rollout = :rollout AND host = ANY(:hosts)
                """,
                Map.of("policies", policies, "rollout", rollout, "hosts", hosts)));
    look(handle, Optional.of(rollout)).forEach(state -> tell(handle, state, state.words()));
    retell(handle, Set.of(rollout));
  }

  /** Opens the gates whose time has come, and tells those who wait for how long. */
  public void advance(Watch watch) {
    Set<String> changed = new HashSet<>();
    for (State state : jdbi.withHandle(handle -> look(handle, Optional.empty()))) {
      Map<String, String> notUp =
          state.soaked() ? watch.notUp(state.hosts(), state.applications()) : Map.of();
      boolean told =
          transactor.call(
              handle ->
                  (state.soaked() && notUp.isEmpty())
                      ? pass(handle, state)
                      : tell(handle, state, state.words() + down(notUp)));
      if (told) {
        changed.add(state.rollout());
      }
    }
    if (!changed.isEmpty()) {
      transactor.call(
          handle -> {
            retell(handle, changed);
            WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
            return true;
          });
    }
  }

  /** How far the canaries of a closed gate are. */
  private record State(
      String rollout,
      String policy,
      int version,
      List<String> hosts,
      List<String> applications,
      List<String> open,
      List<String> bad,
      boolean soaked,
      @Nullable Instant until) {

    String words() {
      String canaries =
          "waits for canaries %s (policy %s version %d): "
              .formatted(ReasonParts.names(hosts), policy, version);
      if (!bad.isEmpty()) {
        return canaries + "stopped by " + ReasonParts.names(bad);
      }
      return open.isEmpty() && until != null
          ? canaries + "soak until " + until.truncatedTo(ChronoUnit.SECONDS)
          : canaries + "not done yet: " + ReasonParts.names(open);
    }
  }

  private static String down(Map<String, String> notUp) {
    return notUp.isEmpty()
        ? ""
        : ", and not up since: "
            + ReasonParts.names(
                notUp.entrySet().stream()
                    .map(entry -> entry.getKey() + " (" + entry.getValue() + ")")
                    .toList());
  }

  /** The closed gates of running rollouts, or of one. */
  private static List<State> look(Handle handle, Optional<String> rollout) {
    return Sql.list(
        handle,
        State.class,
        """
        SELECT g.rollout, g.policy, g.version, g.hosts, g.applications, c.open, c.bad,
               c.last + make_interval(secs => g.soak_seconds) AS until,
               cardinality(c.open) = 0 AND cardinality(c.bad) = 0
                 AND c.last + make_interval(secs => g.soak_seconds) <= clock_timestamp() AS soaked
        FROM canary_gates g JOIN rollouts r ON r.id = g.rollout
        CROSS JOIN LATERAL (
          SELECT COALESCE(array_agg(u.host ORDER BY u.position)
                   FILTER (WHERE u.state IN ('Pending', 'InProgress')), '{}') AS open,
                 COALESCE(array_agg(u.host || ' is ' || u.state || ': ' || u.reason ORDER BY u.position)
                   FILTER (WHERE u.state IN ('Reverted', 'Quarantined', 'Cancelled')), '{}') AS bad,
                 max(u.ended_at) AS last
          FROM host_upgrades u WHERE u.rollout = g.rollout AND u.host = ANY(g.hosts)) c
        WHERE g.passed_at IS NULL AND r.state = 'Running'
          AND g.rollout = COALESCE(CAST(:rollout AS text), g.rollout)
        ORDER BY r.number, g.policy
        """,
        Map.of("rollout", rollout));
  }

  private static boolean pass(Handle handle, State state) {
    boolean passed =
        Sql.update(
                handle,
                """
                UPDATE canary_gates SET passed_at = clock_timestamp(), says = ''
                WHERE rollout = :rollout AND policy = :policy AND passed_at IS NULL
                """,
                Map.of("rollout", state.rollout(), "policy", state.policy()))
            == 1;
    if (passed) {
      Sql.update(
          handle,
          """
          UPDATE host_upgrades
          SET waits_for = array_remove(waits_for, CAST(:policy AS text)),
              reason = CASE WHEN waits_for = ARRAY[CAST(:policy AS text)] THEN '' ELSE reason END
          WHERE rollout = :rollout AND :policy = ANY(waits_for)
          """,
          Map.of("policy", state.policy(), "rollout", state.rollout()));
    }
    return passed;
  }

  /**
   * How long something has lasted is different each time, and no news: it would be written to all
   * who wait, over and over. Other numbers may be names.
   */
  private static boolean tell(Handle handle, State state, String words) {
    return Sql.update(
            handle,
            """
            UPDATE canary_gates SET says = :says
            WHERE rollout = :rollout AND policy = :policy AND passed_at IS NULL
              AND regexp_replace(says, '[0-9]+ s', '0 s', 'g')
                <> regexp_replace(:says, '[0-9]+ s', '0 s', 'g')
            """,
            Map.of("says", words, "rollout", state.rollout(), "policy", state.policy()))
        == 1;
  }

  /** A host is told what all the gates say that it waits for. */
  private static void retell(Handle handle, Collection<String> rollouts) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades u SET reason = %1$s
        WHERE u.rollout = ANY(:rollouts) AND u.state = 'Pending' AND u.grant_id IS NULL
          AND u.reason <> %1$s
        """
            .formatted(SAYS),
        Map.of("rollouts", rollouts));
  }
}
