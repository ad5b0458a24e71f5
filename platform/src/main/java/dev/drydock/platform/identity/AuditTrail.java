package dev.drydock.platform.identity;

import dev.drydock.platform.events.NewEvent;
import dev.drydock.proto.Json;
import org.jdbi.v3.core.Handle;

/**
 * Writes who changed what, inside the transaction of the change: neither exists without the other.
 */
public final class AuditTrail {
  private AuditTrail() {}

  /**
   * Records one change.
   *
   * @param handle the transaction of the change
   * @param action what was done, such as {@code rollout.create}
   * @param object what it was done to, such as {@code rollout/r7}
   * @param detailJson a JSON object with the particulars
   */
  public static void record(
      Handle handle, Principal principal, String action, String object, String detailJson) {
    handle
        .createUpdate(
            """
            INSERT INTO audit (principal, team, role, action, object, detail)
            VALUES (:principal, :team, :role, :action, :object, CAST(:detail AS jsonb))
            """)
        .bind("principal", principal.name())
        .bind("team", principal.team())
        .bind("role", principal.role().word())
        .bind("action", action)
        .bind("object", object)
        .bind("detail", detailJson)
        .execute();
  }

  /**
   * Records a change of which an event tells with the same particulars, and the event, in one
   * statement: of these there are more than of anything else.
   */
  public static void record(
      Handle handle, Principal principal, String action, String object, NewEvent newEvent) {
    handle
        .createUpdate(
            """
            WITH audited AS (
              INSERT INTO audit (principal, team, role, action, object, detail)
              VALUES (:principal, :team, :role, :action, :object, CAST(:data AS jsonb)))
            INSERT INTO events (kind, rollout, host, data)
            VALUES (:kind, :rollout, :host, CAST(:data AS jsonb))
            """)
        .bind("principal", principal.name())
        .bind("team", principal.team())
        .bind("role", principal.role().word())
        .bind("action", action)
        .bind("object", object)
        .bind("kind", newEvent.kind().name())
        .bind("rollout", newEvent.rollout().orElse(null))
        .bind("host", newEvent.host().orElse(null))
        .bind("data", Json.writeTree(newEvent.data()))
        .execute();
  }
}
