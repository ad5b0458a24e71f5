package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import java.time.Instant;
import java.util.List;

/**
 * A session lock as it is stored under {@code sessions/<id>}: one record for all its hosts, however
 * many. Holds have a record per host instead, since they are treated host by host.
 */
public sealed interface SessionLock {

  /**
   * It stands.
   *
   * @param locks one for each host it is still on, at least one; they differ in their host alone
   */
  record Held(List<LockRecord> locks) implements SessionLock {
    public Held {
      locks = List.copyOf(locks);
      if (locks.isEmpty()) {
        throw new IllegalArgumentException("a session lock that stands is on a host");
      }
    }
  }

  /**
   * It was released. What it left behind stays until later ends say more of all its hosts.
   *
   * @param ended one for each host; they differ in their host alone
   */
  record Over(List<EndedLock> ended) implements SessionLock {
    public Over {
      ended = List.copyOf(ended);
    }
  }

  /** Nobody can read on which hosts it is: while there is one, nothing may be granted. */
  record Unreadable(String reason) implements SessionLock {

    Brake brake() {
      return new Brake("nobody", reason, Instant.EPOCH);
    }
  }

  /** One for each host it is on. */
  default List<LockRecord> held() {
    return this instanceof Held(List<LockRecord> locks) ? locks : List.of();
  }

  /** What it left behind, by host. */
  default List<EndedLock> left() {
    return this instanceof Over(List<EndedLock> ended) ? ended : List.of();
  }
}
