package dev.drydock.auditor;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** What the next events of the feed concern, and how many of them are gone. For one thread. */
final class AffectedRollouts {
  private static final int EVENTS_AT_ONCE = 2000;

  /** What the auditor says itself asks for no audit: it would answer itself for ever. */
  private static final Set<String> OWN = Set.of("AuditViolation", "AuditGap");

  private final Map<String, Set<String>> hosts = new HashMap<>();
  private final Set<String> ended = new TreeSet<>();
  private final long position;
  private long last;
  private long lost;
  private int events;

  private AffectedRollouts(long position) {
    this.position = position;
    this.last = position;
  }

  /** By what follows the position of the auditor. */
  static AffectedRollouts next(Handle handle) {
    AffectedRollouts next =
        new AffectedRollouts(
            handle.createQuery("SELECT number FROM audit_position").mapTo(Long.class).one());
    handle
        .createQuery(
            """
            SELECT number, kind, rollout, host FROM events
            WHERE number > :position ORDER BY number LIMIT :limit
            """)
        .bind("position", next.position)
        .bind("limit", EVENTS_AT_ONCE)
        .map(
            (row, _) ->
                next.add(
                    row.getLong("number"),
                    row.getString("kind"),
                    row.getString("rollout"),
                    row.getString("host")))
        .list();
    next.lost = next.given(handle) - next.events;
    return next;
  }

  private int add(long number, String kind, @Nullable String rollout, @Nullable String host) {
    last = number;
    if (rollout != null && !OWN.contains(kind)) {
      Set<String> known = hosts.computeIfAbsent(rollout, _ -> new TreeSet<>());
      if (host != null) {
        known.add(host);
      }
      if (kind.equals("RolloutEnded")) {
        ended.add(rollout);
      }
    }
    return ++events;
  }

  boolean isEmpty() {
    return events == 0;
  }

  /** Whether there may be more than these. */
  boolean isFull() {
    return events == EVENTS_AT_ONCE;
  }

  /** The hosts of each rollout. */
  Map<String, Set<String>> hosts() {
    return hosts;
  }

  /** Whether the end of the rollout is told. */
  boolean ended(String rollout) {
    return ended.contains(rollout);
  }

  /** The number of the last event. */
  long last() {
    return last;
  }

  /** How many are not kept any more. */
  long lost() {
    return lost;
  }

  /** How many there were; numbers that nobody has were left out after a restore. */
  private long given(Handle handle) {
    return handle
        .createQuery("SELECT event_place(:last) - event_place(:position)")
        .bind("last", last)
        .bind("position", position)
        .mapTo(Long.class)
        .one();
  }
}
