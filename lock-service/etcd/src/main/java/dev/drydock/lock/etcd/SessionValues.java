package dev.drydock.lock.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.txn.SessionLock;
import io.etcd.jetcd.ByteSequence;
import java.util.List;

/**
 * Session locks as JSON values. What is the same on all hosts is said once, and where the lock is
 * only if that is no longer on all of its hosts.
 */
final class SessionValues {
  private static final String HOSTS = "hosts";
  private static final String ON = "on";

  private SessionValues() {}

  static ByteSequence of(SessionLock session) {
    return switch (session) {
      case SessionLock.Held(List<LockRecord> locks) -> {
        ObjectNode node = JsonValues.node(locks.getFirst());
        List<String> on = locks.stream().map(LockRecord::host).toList();
        if (!on.equals(locks.getFirst().hosts())) {
          JsonValues.put(node, ON, on);
        }
        yield JsonValues.bytes(node);
      }
      case SessionLock.Over(List<EndedLock> ended) -> {
        ObjectNode node = JsonValues.node(ended.getFirst());
        JsonValues.put(node, HOSTS, ended.stream().map(EndedLock::host).toList());
        yield JsonValues.bytes(node);
      }
      case SessionLock.Unreadable unreadable ->
          throw new IllegalStateException("never written: " + unreadable.reason());
    };
  }

  /** The session lock of that id; its token is the revision that created the key. */
  static SessionLock session(String id, ByteSequence value, long createRevision) {
    JsonNode node = JsonValues.read(value);
    SessionLock session = node.has("lockId") ? over(node) : held(node, createRevision);
    boolean its =
        session.held().stream()
                .allMatch(lock -> lock.id().equals(id) && lock.kind() == Kind.SESSION)
            && session.left().stream().allMatch(ended -> ended.lockId().equals(id));
    if (!its) {
      throw new IllegalStateException(
          "not a session lock " + id + ": " + JsonValues.start(node.toString()));
    }
    return session;
  }

  private static SessionLock held(JsonNode node, long createRevision) {
    List<String> on = JsonValues.texts(node, node.has(ON) ? ON : HOSTS);
    if (on.isEmpty()) {
      throw new IllegalStateException("on no host: " + JsonValues.start(node.toString()));
    }
    LockRecord first = JsonValues.lock(on.getFirst(), node, createRevision);
    return new SessionLock.Held(on.stream().map(first::on).toList());
  }

  private static SessionLock over(JsonNode node) {
    List<String> hosts = JsonValues.texts(node, HOSTS);
    if (hosts.isEmpty()) {
      throw new IllegalStateException("of no host: " + JsonValues.start(node.toString()));
    }
    EndedLock first = JsonValues.ended(hosts.getFirst(), node);
    return new SessionLock.Over(hosts.stream().map(first::on).toList());
  }
}
