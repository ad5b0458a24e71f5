package dev.drydock.orchestrator.activity;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.Forward;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Sends a batch back: from then on nobody leads it forward, whatever run works it. The caller holds
 * the lock of the grant.
 */
public final class TurnBack {
  private TurnBack() {}

  /**
   * Whether somebody was sent to update a host of the batch, or may have been: then there is no way
   * back.
   */
  public static boolean updateBegan(Handle handle, GrantRow grant) {
    return grant.blind()
        || handle
            .createQuery(
                """
                SELECT EXISTS (SELECT FROM jobs
                               WHERE grant_id = :grant AND step = :step AND attempt > 0)
                """)
            .bind("grant", grant.id())
            .bind("step", JobStep.Update.name())
            .mapTo(Boolean.class)
            .one();
  }

  /**
   * Remembers to what it goes back; the first to say so stands.
   *
   * @param end Held, Reverted or Cancelled
   * @return whether it had not turned back before
   */
  public static boolean record(Handle handle, GrantRow grant, String end, String reason) {
    if (grant.undo().isPresent()) {
      return false;
    }
    handle
        .createUpdate("UPDATE grants SET undo = :undo, undo_reason = :reason WHERE id = :id")
        .bind("undo", end)
        .bind("reason", reason)
        .bind("id", grant.id())
        .execute();
    Forward.cancel(handle, grant);
    Event.ofRollout(
            EventKind.BatchTurnedBack,
            grant.rollout(),
            Map.of("grant", grant.id(), "to", end, "reason", reason))
        .append(handle);
    return true;
  }
}
