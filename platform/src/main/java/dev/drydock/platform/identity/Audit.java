package dev.drydock.platform.identity;

import org.jdbi.v3.core.Handle;

/**
 * Writes who changed what, inside the transaction of the change: neither exists without the other.
 */
public final class Audit {
  private Audit() {}

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
}
