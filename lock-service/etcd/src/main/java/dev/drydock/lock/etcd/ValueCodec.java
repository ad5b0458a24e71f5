package dev.drydock.lock.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.TicketNote;
import dev.drydock.lock.core.txn.GenerationCause;
import dev.drydock.lock.core.txn.GrantMark;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.LivenessRecord;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.StoredValue;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import java.util.Optional;

/** What the bytes under each key mean. */
final class ValueCodec {
  private static final String WAITING = "waiting ";

  private ValueCodec() {}

  static <V> ByteSequence of(Key<V> key, V value) {
    return switch (key) {
      case Key.Lock one -> JsonValues.of((LockRecord) value);
      case Key.Session one -> SessionValues.of((SessionLock) value);
      case Key.Ticket one -> JsonValues.of((Ticket) value);
      case Key.Ended one -> JsonValues.of((EndedLock) value);
      case Key.Verdict one -> JsonValues.of((TicketNote) value);
      case Key.Grant one -> JsonValues.of((GrantMark) value);
      case Key.Passed one -> JsonValues.of((BackfillClock) value);
      case Key.Brake one -> JsonValues.of((Brake) value);
      case Key.Alive one -> alive((LivenessRecord) value);
      case Key.Term one -> KeyLayout.bytes(String.valueOf(value));
      case Key.Beat one -> KeyLayout.bytes(String.valueOf(value));
      case Key.Epoch one -> KeyLayout.bytes(String.valueOf(value));
      case Key.Generation one -> JsonValues.of((GenerationCause) value);
      case Key.Leader one -> KeyLayout.bytes((String) value);
    };
  }

  /**
   * The key and its value as etcd answered.
   *
   * @throws UnreadableValueException when it has a value that does not belong there
   */
  static <V> StoredValue<V> stored(Key<V> key, KeyValue found) {
    try {
      return stored(key, found, value(key, found));
    } catch (RuntimeException why) {
      throw new UnreadableValueException(found, why);
    }
  }

  /** The key as it counts: what cannot be read by its stand-in, if it has one. */
  static <V> Optional<StoredValue<V>> believed(Key<V> key, KeyValue found) {
    try {
      return Optional.of(stored(key, found));
    } catch (UnreadableValueException why) {
      return FailSafeValues.of(key, found, why).map(value -> stored(key, found, value));
    }
  }

  @SuppressWarnings("unchecked") // The key says what its value is.
  private static <V> StoredValue<V> stored(Key<V> key, KeyValue found, Object value) {
    return new StoredValue<>(key, (V) value, found.getCreateRevision(), found.getModRevision());
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

  private static ByteSequence alive(LivenessRecord livenessRecord) {
    return KeyLayout.bytes(
        (livenessRecord.waiting() ? WAITING : "") + livenessRecord.leaseSeconds());
  }

  private static LivenessRecord alive(String text) {
    boolean waiting = text.startsWith(WAITING);
    return new LivenessRecord(
        waiting, Integer.parseInt(waiting ? text.substring(WAITING.length()) : text));
  }
}
