package dev.drydock.lock.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Note;
import dev.drydock.lock.core.Passed;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Alive;
import dev.drydock.lock.core.txn.Cause;
import dev.drydock.lock.core.txn.GrantMark;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.Stored;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import java.util.Optional;

/** What the bytes under each key mean. */
final class Values {
  private static final String WAITING = "waiting ";

  private Values() {}

  static <V> ByteSequence of(Key<V> key, V value) {
    return switch (key) {
      case Key.Lock one -> JsonValues.of((LockRecord) value);
      case Key.Session one -> SessionValues.of((SessionLock) value);
      case Key.Ticket one -> JsonValues.of((Ticket) value);
      case Key.Ended one -> JsonValues.of((Ended) value);
      case Key.Verdict one -> JsonValues.of((Note) value);
      case Key.Grant one -> JsonValues.of((GrantMark) value);
      case Key.Passed one -> JsonValues.of((Passed) value);
      case Key.Brake one -> JsonValues.of((Brake) value);
      case Key.Alive one -> alive((Alive) value);
      case Key.Term one -> Keys.bytes(String.valueOf(value));
      case Key.Beat one -> Keys.bytes(String.valueOf(value));
      case Key.Epoch one -> Keys.bytes(String.valueOf(value));
      case Key.Generation one -> JsonValues.of((Cause) value);
      case Key.Leader one -> Keys.bytes((String) value);
    };
  }

  /**
   * The key and its value as etcd answered.
   *
   * @throws UnreadableValueException when it has a value that does not belong there
   */
  static <V> Stored<V> stored(Key<V> key, KeyValue found) {
    try {
      return stored(key, found, value(key, found));
    } catch (RuntimeException why) {
      throw new UnreadableValueException(found, why);
    }
  }

  /** The key as it counts: what cannot be read by its stand-in, if it has one. */
  static <V> Optional<Stored<V>> believed(Key<V> key, KeyValue found) {
    try {
      return Optional.of(stored(key, found));
    } catch (UnreadableValueException why) {
      return StandIns.of(key, found, why).map(value -> stored(key, found, value));
    }
  }

  @SuppressWarnings("unchecked") // The key says what its value is.
  private static <V> Stored<V> stored(Key<V> key, KeyValue found, Object value) {
    return new Stored<>(key, (V) value, found.getCreateRevision(), found.getModRevision());
  }

  private static Object value(Key<?> key, KeyValue found) {
    ByteSequence value = found.getValue();
    return switch (key) {
      case Key.Lock(String host) -> JsonValues.lock(host, value, found.getCreateRevision());
      case Key.Session(String id) -> SessionValues.session(id, value, found.getCreateRevision());
      case Key.Ticket(String id, int index) ->
          JsonValues.ticket(id, index, value, found.getCreateRevision());
      case Key.Ended(String host) -> JsonValues.ended(host, value);
      case Key.Verdict one -> JsonValues.note(value);
      case Key.Grant one -> JsonValues.grant(value);
      case Key.Passed one -> JsonValues.passed(value);
      case Key.Brake one -> JsonValues.brake(value);
      case Key.Alive one -> alive(value.toString(UTF_8));
      case Key.Term one -> Integer.valueOf(value.toString(UTF_8));
      case Key.Beat one -> Long.valueOf(value.toString(UTF_8));
      case Key.Epoch one -> Long.valueOf(value.toString(UTF_8));
      case Key.Generation one -> JsonValues.cause(value);
      case Key.Leader one -> value.toString(UTF_8);
    };
  }

  private static ByteSequence alive(Alive alive) {
    return Keys.bytes((alive.waiting() ? WAITING : "") + alive.leaseSeconds());
  }

  private static Alive alive(String text) {
    boolean waiting = text.startsWith(WAITING);
    return new Alive(waiting, Integer.parseInt(waiting ? text.substring(WAITING.length()) : text));
  }
}
