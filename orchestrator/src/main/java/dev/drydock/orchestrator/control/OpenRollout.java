package dev.drydock.orchestrator.control;

import dev.drydock.api.RolloutState;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.store.Sql;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * A rollout a command is about, locked until the transaction ends.
 *
 * @param waits whether its time to start has not come
 */
record OpenRollout(
    String id, String release, String mode, String priority, RolloutState state, boolean waits) {

  static OpenRollout lock(Handle handle, String id) {
    return Sql.find(
            handle,
            OpenRollout.class,
            """
            SELECT id, release, mode, priority, state,
                   COALESCE(start_at > clock_timestamp(), false) AS waits
            FROM rollouts WHERE id = :id FOR NO KEY UPDATE
            """,
            Map.of("id", id))
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
