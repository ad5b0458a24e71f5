package dev.drydock.impact.service;

import dev.drydock.lock.core.LockRecord;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Writes the rows an adapter's reports would have left. */
final class Rows {
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
                  fleetlock_boots
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
