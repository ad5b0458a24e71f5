package dev.drydock.orchestrator.events;

import dev.drydock.proto.Json;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * One thing that happened, as the feed shows it.
 *
 * @param kind what happened, such as {@code JobDone}; stable, programs match on it
 * @param data particulars as JSON values
 */
public record Event(
    String kind, Optional<String> rollout, Optional<String> host, Map<String, ?> data) {

  public Event {
    data = Map.copyOf(data);
  }

  /** Something that concerns a whole rollout. */
  public static Event ofRollout(String kind, String rollout, Map<String, ?> data) {
    return new Event(kind, Optional.of(rollout), Optional.empty(), data);
  }

  /** Something that concerns one host of a rollout. */
  public static Event ofHost(String kind, String rollout, String host, Map<String, ?> data) {
    return new Event(kind, Optional.of(rollout), Optional.of(host), data);
  }

  /** Writes it in the transaction of the change it tells about. */
  public void append(Handle handle) {
    handle
        .createUpdate(
            """
            INSERT INTO events (kind, rollout, host, data)
            VALUES (:kind, :rollout, :host, CAST(:data AS jsonb))
            """)
        .bind("kind", kind)
        .bind("rollout", rollout.orElse(null))
        .bind("host", host.orElse(null))
        .bind("data", Json.writeTree(data))
        .execute();
  }
}
