package dev.drydock.platform.events;

import dev.drydock.api.EventKind;
import dev.drydock.proto.Json;
import dev.drydock.proto.crash.CrashPoint;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * One thing that happened, to be written. Changes of a host upgrade's state or step and of a
 * rollout's state are written by the database itself.
 *
 * @param data particulars as JSON values
 */
public record NewEvent(
    EventKind kind, Optional<String> rollout, Optional<String> host, Map<String, ?> data) {

  public NewEvent {
    data = Map.copyOf(data);
  }

  /** Something that concerns a whole rollout. */
  public static NewEvent ofRollout(EventKind kind, String rollout, Map<String, ?> data) {
    return new NewEvent(kind, Optional.of(rollout), Optional.empty(), data);
  }

  /** Something that concerns one host of a rollout. */
  public static NewEvent ofHost(EventKind kind, String rollout, String host, Map<String, ?> data) {
    return new NewEvent(kind, Optional.of(rollout), Optional.of(host), data);
  }

  /** Something that concerns everything. */
  public static NewEvent ofFleet(EventKind kind, Map<String, ?> data) {
    return new NewEvent(kind, Optional.empty(), Optional.empty(), data);
  }

  /**
   * Writes it in the transaction of the change it tells about, after that change: events of one
   * object are in the feed in the order in which they are written under its lock.
   *
   * <p>Before and after that transaction commits are the crash points {@code event-KIND-writing}
   * and {@code event-KIND-written}, in lower case.
   */
  public void append(Handle handle) {
    insert(handle);
    if (CrashPoint.anyArmed()) {
      String point = "event-" + kind.name().toLowerCase(Locale.ROOT);
      CrashPoint.reach(point + "-writing");
      handle.afterCommit(() -> CrashPoint.reach(point + "-written"));
    }
  }

  private void insert(Handle handle) {
    handle
        .createUpdate(
            """
            INSERT INTO events (kind, rollout, host, data)
            VALUES (:kind, :rollout, :host, CAST(:data AS jsonb))
            """)
        .bind("kind", kind.name())
        .bind("rollout", rollout.orElse(null))
        .bind("host", host.orElse(null))
        .bind("data", Json.writeTree(data))
        .execute();
  }
}
