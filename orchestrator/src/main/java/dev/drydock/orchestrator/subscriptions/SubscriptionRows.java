package dev.drydock.orchestrator.subscriptions;

import dev.drydock.api.NotificationEvent;
import dev.drydock.api.Subscription;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.Sql;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Subscriptions in PostgreSQL, within a transaction of the caller. */
final class SubscriptionRows {
  /** As the wire has them. */
  static final Columns<Subscription> RECORDS =
      Columns.of(Subscription.class, "subscriptions s")
          .field("id", "s.team || '~' || s.name")
          .named("s", "name team")
          .field("events", "to_jsonb(s.events)")
          .field("applications", "to_jsonb(s.applications)")
          .field("rollouts", "to_jsonb(s.rollouts)")
          .field("acknowledged", "CAST(s.acknowledged AS text)")
          .field("lost", "s.lost")
          .field("lostUpTo", "CASE WHEN s.lost > 0 THEN CAST(s.lost_upto AS text) END")
          .named("s", "lostFrom lostTo")
          .field(
              "policies",
              """
              to_jsonb(ARRAY(SELECT n.policy FROM policy_notices n
                             WHERE n.subscription = s.name AND s.team = (
                               SELECT p.team FROM policies p WHERE p.name = n.policy
                               ORDER BY p.version DESC LIMIT 1)
                             ORDER BY n.policy))
              """)
          .named("s", "createdAt createdBy")
          .complete("warnings");

  private SubscriptionRows() {}

  /**
   * One as its reader needs it.
   *
   * @param lost how many events were forgotten before they were acknowledged, up to that number
   */
  record Row(
      SubscriptionId id,
      SubscriptionFilter interest,
      long acknowledged,
      long lost,
      long lostUpTo,
      Optional<Instant> lostFrom,
      Optional<Instant> lostTo) {}

  /** With the row locked until the end of the transaction. */
  static Optional<Row> lock(Handle handle, SubscriptionId id) {
    return find(handle, id, " FOR UPDATE");
  }

  static Optional<Row> find(Handle handle, SubscriptionId id) {
    return find(handle, id, "");
  }

  private static Optional<Row> find(Handle handle, SubscriptionId id, String lock) {
    Map<String, Set<NotificationEvent>> narrowed = narrowed(handle, id);
    return handle
        .createQuery("SELECT * FROM subscriptions WHERE team = :team AND name = :name" + lock)
        .bind("team", id.team())
        .bind("name", id.name())
        .map((row, _) -> row(id, row, narrowed))
        .findOne();
  }

  /** What the policies of its team that name it say, by application. */
  private static Map<String, Set<NotificationEvent>> narrowed(Handle handle, SubscriptionId id) {
    Map<String, Set<NotificationEvent>> narrowed = new HashMap<>();
    handle
        .createQuery(
            """
            SELECT a.application, n.events
            FROM policy_notices n JOIN policy_applications a USING (policy)
            WHERE n.subscription = :name AND :team = (
              SELECT p.team FROM policies p WHERE p.name = n.policy ORDER BY p.version DESC LIMIT 1)
            """)
        .bind("name", id.name())
        .bind("team", id.team())
        .map(
            (row, _) ->
                narrowed.put(
                    row.getString("application"),
                    SubscriptionFilter.words(texts(row.getArray("events")))))
        .list();
    return narrowed;
  }

  private static Row row(
      SubscriptionId id, ResultSet row, Map<String, Set<NotificationEvent>> narrowed)
      throws SQLException {
    return new Row(
        id,
        new SubscriptionFilter(
            id.team(),
            SubscriptionFilter.words(texts(row.getArray("events"))),
            Set.copyOf(texts(row.getArray("applications"))),
            Set.copyOf(texts(row.getArray("rollouts"))),
            narrowed),
        row.getLong("acknowledged"),
        row.getLong("lost"),
        row.getLong("lost_upto"),
        Optional.ofNullable(row.getTimestamp("lost_from")).map(time -> time.toInstant()),
        Optional.ofNullable(row.getTimestamp("lost_to")).map(time -> time.toInstant()));
  }

  private static List<String> texts(Array array) throws SQLException {
    return List.of((String[]) array.getArray());
  }

  /** Its reader is done with everything up to the number, or begins again after it. */
  static void move(Handle handle, SubscriptionId id, long number) {
    Sql.update(
        handle,
        """
        UPDATE subscriptions
        SET acknowledged = :number,
            lost = CASE WHEN :number >= lost_upto THEN 0 ELSE lost END,
            lost_from = CASE WHEN :number >= lost_upto THEN NULL ELSE lost_from END,
            lost_to = CASE WHEN :number >= lost_upto THEN NULL ELSE lost_to END
        WHERE team = :team AND name = :name
        """,
        Map.of("number", number, "team", id.team(), "name", id.name()));
  }
}
