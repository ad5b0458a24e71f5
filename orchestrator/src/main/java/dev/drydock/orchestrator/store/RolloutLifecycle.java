package dev.drydock.orchestrator.store;

import dev.drydock.api.RolloutState;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import dev.drydock.proto.crash.CrashPoint;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * What becomes of a rollout by itself: its time comes, its last host ends. Everything may be
 * repeated. Safe for use by many threads.
 */
public final class RolloutLifecycle {
  private static final int CANCELLED_AT_ONCE = 10_000;

  private final Transactor transactor;

  public RolloutLifecycle(Jdbi jdbi) {
    this.transactor = new Transactor(jdbi);
  }

  /** Starts every rollout whose time has come, by the database's clock; tells how many. */
  public int startDue() {
    int started = transactor.call(RolloutLifecycle::begin);
    if (started > 0) {
      CrashPoint.reach("rollout-start-written");
    }
    return started;
  }

  private static int begin(Handle handle) {
    int started =
        Sql.update(
            handle,
            """
            UPDATE rollouts SET state = 'Running', state_by = '', state_reason = ''
            WHERE state = 'Scheduled' AND start_at <= clock_timestamp()
            """,
            Map.of());
    if (started > 0) {
      WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
      CrashPoint.reach("rollout-start-writing");
    }
    return started;
  }

  /**
   * Does what is due: cancels what has not begun in one that is aborted, a part at a time, and ends
   * one of which no host is pending or in progress: Succeeded if all upgraded or needed nothing,
   * Aborted if it was, else Degraded.
   *
   * @return whether it has ended, now or earlier
   */
  public boolean advance(String id) {
    return transactor.call(
        handle -> {
          Course now =
              Sql.find(
                      handle,
                      Course.class,
                      """
                      SELECT state, state_by, state_reason FROM rollouts
                      WHERE id = :id FOR NO KEY UPDATE
                      """,
                      Map.of("id", id))
                  .orElseThrow(() -> new IllegalArgumentException("there is no rollout " + id));
          return switch (now.state()) {
            case Succeeded, Degraded, Aborted -> true;
            case Aborting -> !cancelled(handle, id, now) && ended(handle, id, true);
            case Scheduled, Running, Paused -> ended(handle, id, false);
            case $UNKNOWN -> throw new IllegalStateException(id + " is in no known state");
          };
        });
  }

  /** The state, who brought it about, and why. */
  private record Course(RolloutState state, String stateBy, String stateReason) {}

  /** Whether there may be more; then the rollout is woken to come again. */
  private static boolean cancelled(Handle handle, String id, Course now) {
    int cancelled =
        Sql.update(
            handle,
            """
            UPDATE host_upgrades
            SET state = 'Cancelled', ended_at = clock_timestamp(), reason = :reason
            WHERE rollout = :id AND state = 'Pending'
              AND host IN (SELECT host FROM host_upgrades
                           WHERE rollout = :id AND state = 'Pending' AND grant_id IS NULL
                           ORDER BY host LIMIT :limit FOR NO KEY UPDATE)
            """,
            Map.of(
                "reason",
                    ReasonParts.by("the rollout was aborted", now.stateBy(), now.stateReason()),
                "id", id,
                "limit", CANCELLED_AT_ONCE));
    if (cancelled < CANCELLED_AT_ONCE) {
      return false;
    }
    Wakeups.add(handle, WorkflowIds.rollout(id), "abort");
    return true;
  }

  private static boolean ended(Handle handle, String id, boolean aborted) {
    return Sql.update(
            handle,
            """
            UPDATE rollouts
            SET state = CASE
                  WHEN :aborted THEN 'Aborted'
                  WHEN EXISTS (SELECT FROM host_upgrades
                               WHERE rollout = :id AND state NOT IN ('Upgraded', 'Skipped'))
                  THEN 'Degraded' ELSE 'Succeeded' END,
                state_by = CASE WHEN :aborted THEN state_by ELSE '' END,
                state_reason = CASE WHEN :aborted THEN state_reason ELSE '' END,
                ended_at = clock_timestamp()
            WHERE id = :id AND NOT EXISTS (
              SELECT FROM host_upgrades
              WHERE rollout = :id AND state IN ('Pending', 'InProgress'))
            """,
            Map.of("aborted", aborted, "id", id))
        == 1;
  }
}
