package dev.drydock.lock.etcd;

import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockRecord.Stage;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.LivenessRecord;
import dev.drydock.lock.core.txn.SessionLock;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What an unreadable value counts as until its key is mended or deleted: always the safe side, on
 * which nobody is granted what somebody may have. A host stays taken, a client alive, the brake on;
 * where nobody knows which hosts are taken, nobody is granted any; nothing seen of a host counts;
 * who cannot be read in the queue is not served.
 */
final class FailSafeValues {
  /** No observation has a mark as high. */
  static final long NEVER = EndedLock.NEVER;

  /** Nobody goes before a ticket that was passed for so long. */
  private static final Duration LONG_ENOUGH = Duration.ofDays(36_500);

  private static final String NOBODY = "nobody";

  private FailSafeValues() {}

  /** The value that counts; empty where the key counts as not there. */
  static Optional<Object> of(Key<?> key, KeyValue found, UnreadableValueException why) {
    return Optional.ofNullable(
        switch (key) {
          case Key.Lock(String host) -> lock(host, found, why);
          case Key.Session one -> new SessionLock.Unreadable(String.valueOf(why.getMessage()));
          case Key.Ended(String host) ->
              new EndedLock(host, "unreadable", NEVER, NOBODY, String.valueOf(why.getMessage()));
          case Key.Brake one -> new Brake(NOBODY, String.valueOf(why.getMessage()), Instant.EPOCH);
          case Key.Alive one -> new LivenessRecord(false, 0);
          case Key.Term one -> 0;
          case Key.Passed one -> new BackfillClock(LONG_ENOUGH, Optional.empty());
          case Key.Ticket one -> null;
          case Key.Verdict one -> null;
          case Key.Grant one -> null;
          case Key.Beat one -> null;
          case Key.Epoch one -> null;
          case Key.Generation one -> null;
          case Key.Leader one -> null;
        });
  }

  private static LockRecord lock(String host, KeyValue found, UnreadableValueException why) {
    return new LockRecord(
        "unreadable-" + host,
        Kind.QUARANTINE,
        Stage.OPEN,
        host,
        List.of(host),
        List.of(),
        NOBODY,
        String.valueOf(why.getMessage()),
        Optional.empty(),
        0,
        0,
        found.getCreateRevision());
  }
}
