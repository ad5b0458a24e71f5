package dev.drydock.impact.service;

import dev.drydock.lock.core.LockRecord;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Writes the rows an adapter's reports would have left. */
final class Rows {
  /** Reports are believed for half a minute, nobody monitors, and grants take as many as come. */
  static final ImpactAnalyzer.Settings SETTINGS =
      new ImpactAnalyzer.Settings(Duration.ofSeconds(30), Optional.empty(), Integer.MAX_VALUE);

  private final Jdbi jdbi;

  Rows(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  void empty() {
    jdbi.useHandle(
        h ->
            h.execute(
                """
                TRUNCATE marks, sources, hosts, instances, policies, policy_applications, audit,
                  fleetlock_boots, disruptions, lock_history, unlocked_hosts, releases
                CASCADE
                """));
  }

  /** A fresh report of the source; its mark. */
  long report(String source) {
    return jdbi.withHandle(
        h ->
            h.createQuery(
                    """
                    WITH issued AS (INSERT INTO marks (source) VALUES (:source) RETURNING mark)
                    INSERT INTO sources (source, last_mark) SELECT :source, mark FROM issued
                    ON CONFLICT (source) DO UPDATE SET last_mark = excluded.last_mark
                    RETURNING last_mark
                    """)
                .bind("source", source)
                .mapTo(Long.class)
                .one());
  }

  void host(String name) {
    jdbi.useHandle(
        h ->
            h.execute(
                """
                INSERT INTO hosts (name, address, scheduler, hardware_class, source, observed_at)
                VALUES (?, '10.0.0.1', 'static', 'default', 'static', clock_timestamp())
                ON CONFLICT (name) DO NOTHING
                """,
                name));
  }

  /** A healthy instance of the application on the host, seen under the mark. */
  void instance(String application, String host, long mark) {
    host(host);
    jdbi.useHandle(
        h ->
            h.execute(
                """
                INSERT INTO instances
                  (id, application, host, zone, health, source, mark, observed_at)
                VALUES (?, ?, ?, 'z', 'Healthy', 'static', ?, clock_timestamp())
                """,
                application + "@" + host,
                application,
                host,
                mark));
  }

  /** A batch of a rollout as its grant leaves it. */
  void grant(String grant, String host) {
    execute(
        "INSERT INTO releases (name, spec, created_by) VALUES ('2', '{}', 'test') ON CONFLICT DO NOTHING");
    execute(
        """
        INSERT INTO rollouts (id, release, mode, state, reason, requester, team)
        VALUES ('r1', '2', 'PackageUpdate', 'Running', '', 'test', 'sre') ON CONFLICT DO NOTHING
        """);
    jdbi.useHandle(
        h ->
            h.execute(
                """
                INSERT INTO grants (id, rollout, hosts, state, epoch, beat, evidence)
                VALUES (?, 'r1', ARRAY[?], 'granted', 1, 1, '{}')
                """,
                grant,
                host));
  }

  /** Its open check was decided now. */
  void opened(String grant) {
    execute("UPDATE grants SET opened_at = clock_timestamp() WHERE id = '" + grant + "'");
  }

  /** All grants have ended. */
  void ended() {
    execute("UPDATE grants SET state = 'ended', ended_at = clock_timestamp()");
  }

  /** What the history tells of a lock of another client. */
  void told(String what, String lock, String kind, String host) {
    jdbi.useHandle(
        h ->
            h.execute(
                """
                INSERT INTO lock_history
                  (epoch, revision, ordinal, what, lock_id, kind, hosts, holder, by, reason, token,
                   granted_at)
                SELECT 1, count(*), 0, ?, ?, ?, ARRAY[?], 'ops', 'ops', '', 1, clock_timestamp()
                FROM lock_history
                """,
                what,
                lock,
                kind,
                host));
  }

  /**
   * Its newest report says it is down, and so did the first one after the last lock, a while ago.
   */
  void downFor(String host, String ago) {
    execute("UPDATE unlocked_hosts SET at = at - interval '1 hour'");
    execute(
        "UPDATE instances SET health = 'Unhealthy', observed_at = clock_timestamp() WHERE host = '%s'"
            .formatted(host));
    execute(
        "UPDATE instances SET down_since = down_since - interval '%s' WHERE host = '%s'"
            .formatted(ago, host));
  }

  /** As if the host, with web, had been brought to the release in so many minutes. */
  void upgraded(String rollout, String host, String release, int minutes) {
    execute(
        """
        INSERT INTO releases (name, spec, created_by) VALUES ('%3$s', '{}', 'test') ON CONFLICT DO NOTHING;
        INSERT INTO rollouts (id, release, mode, state, reason, requester, team)
        VALUES ('%1$s', '%3$s', 'PackageUpdate', 'Succeeded', '', 'sre', 'sre');
        INSERT INTO host_upgrades (rollout, host, position, batch, state, applications, started_at, ended_at)
        VALUES ('%1$s', '%2$s', 0, 0, 'Upgraded', '{web}', clock_timestamp() - interval '1 h',
                clock_timestamp() - interval '1 h' + interval '%4$d min')
        """
            .formatted(rollout, host, release, minutes));
  }

  void execute(String sql) {
    jdbi.useHandle(h -> h.execute(sql));
  }

  int count(String table) {
    return jdbi.withHandle(
        h -> h.createQuery("SELECT count(*) FROM " + table).mapTo(Integer.class).one());
  }

  static LockRecord hold(String grant, String host) {
    return lock(grant, LockRecord.Kind.BATCH, host, Optional.of("r1"));
  }

  static LockRecord fleetLock(String ticket, String host) {
    return lock(ticket, LockRecord.Kind.FLEETLOCK, host, Optional.empty());
  }

  static LockRecord session(String ticket, String host) {
    return lock(ticket, LockRecord.Kind.SESSION, host, Optional.empty());
  }

  private static LockRecord lock(
      String id, LockRecord.Kind kind, String host, Optional<String> rollout) {
    return new LockRecord(
        id,
        kind,
        LockRecord.Stage.PROVISIONAL,
        host,
        List.of(host),
        List.of(),
        "sre",
        "rollout r1",
        rollout,
        1,
        1,
        7);
  }

  static String policy(String name, String team, String applications, String capacity) {
    return """
    apiVersion: drydock.dev/v1
    kind: UpgradePolicy
    metadata: {name: %s, team: %s}
    spec:
      applications: %s
      capacity: %s
    """
        .formatted(name, team, applications, capacity);
  }
}
