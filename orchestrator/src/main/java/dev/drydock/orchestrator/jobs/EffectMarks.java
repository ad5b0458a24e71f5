package dev.drydock.orchestrator.jobs;

import dev.drydock.platform.store.Sql;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * The board's own marks: they order effects among the observations of reporters, without clocks
 * (protocol P6).
 */
public final class EffectMarks {
  /** Whose marks they are. */
  static final String SOURCE = "drydock";

  private EffectMarks() {}

  /** Only observations at or after the mark say anything about the host from now on. */
  public static void effect(Handle handle, String host, long mark) {
    Sql.update(
        handle,
        "UPDATE hosts SET effect_mark = GREATEST(effect_mark, :mark) WHERE name = :host",
        Map.of("mark", mark, "host", host));
  }

  /** What somebody just did to the host makes every earlier observation void. */
  public static void effectNow(Handle handle, String host) {
    Sql.update(
        handle,
        """
        WITH taken AS (INSERT INTO marks (source) VALUES (:source) RETURNING mark)
        UPDATE hosts SET effect_mark = GREATEST(effect_mark, taken.mark)
        FROM taken WHERE name = :host
        """,
        Map.of("source", SOURCE, "host", host));
  }

  /** The host was read, and it is not on the release it was thought to be on. */
  public static void noRelease(Handle handle, String host) {
    Sql.update(handle, "UPDATE hosts SET release = NULL WHERE name = :host", Map.of("host", host));
  }
}
