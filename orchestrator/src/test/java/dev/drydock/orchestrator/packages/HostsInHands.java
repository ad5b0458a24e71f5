package dev.drydock.orchestrator.packages;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Locks;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Locks in memory that leave behind how they ended. */
final class HostsInHands implements Locks {
  private final Map<String, LockRecord> locks = new TreeMap<>();
  private final Map<String, EndedLock> ended = new TreeMap<>();
  private long revision = 1;

  void lock(String host, LockRecord.Kind kind) {
    revision++;
    String id = kind.name().charAt(0) + "" + revision;
    locks.put(
        host,
        new LockRecord(
            id,
            kind,
            LockRecord.Stage.OPEN,
            host,
            List.of(host),
            List.of(),
            "sre",
            "test",
            Optional.empty(),
            1,
            1,
            revision));
  }

  /**
   * Ends the lock on the host.
   *
   * @param mark as the lock service gets it
   */
  void end(String host, long mark) {
    LockRecord lock = locks.remove(host);
    ended.put(host, new EndedLock(host, lock == null ? "" : lock.id(), mark, "test", ""));
    revision++;
  }

  @Override
  public LockTable table() {
    return new LockTable(revision, new TreeMap<>(locks), List.of(), new TreeMap<>(ended), Set.of());
  }
}
