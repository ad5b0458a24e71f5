package dev.drydock.orchestrator.control;

import dev.drydock.api.RolloutState;
import dev.drydock.platform.http.ApiException;
import org.jdbi.v3.core.Handle;

/**
 * A rollout a command is about, locked until the transaction ends.
 *
 * @param waits whether its time to start has not come
 */
record OpenRollout(
    String id, String release, String mode, String priority, RolloutState state, boolean waits) {

  static OpenRollout lock(Handle handle, String id) {
    return handle
        .createQuery(
            """
            SELECT id, release, mode, priority, state,
                   COALESCE(start_at > clock_timestamp(), false) AS waits
            FROM rollouts WHERE id = :id FOR NO KEY UPDATE
            """)
        .bind("id", id)
        .map(
            (row, _) ->
                new OpenRollout(
                    row.getString("id"),
                    row.getString("release"),
                    row.getString("mode"),
                    row.getString("priority"),
                    RolloutState.valueOf(row.getString("state")),
                    row.getBoolean("waits")))
        .findOne()
        .orElseThrow(() -> ApiException.notFound("UNKNOWN_ROLLOUT", "there is no rollout " + id));
  }

  /** Whether hosts may still come and go. */
  boolean takesHosts() {
    return switch (state) {
      case Scheduled, Running, Paused -> true;
      case Aborting, Succeeded, Degraded, Aborted, $UNKNOWN -> false;
    };
  }

  /** The state does not allow what was asked. */
  ApiException refuses(String what) {
    return ApiException.conflict(
        "ROLLOUT_STATE",
        "rollout " + id + " is " + state + ": it cannot " + what + "; nothing was changed.");
  }
}
