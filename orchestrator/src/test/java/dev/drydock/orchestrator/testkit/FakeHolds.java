package dev.drydock.orchestrator.testkit;

import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Ticket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Holds in memory, with the promises of the real ones; one lock per host. Safe for use by many
 * threads.
 */
public final class FakeHolds implements Holds {
  private final Map<String, LockRecord> locks = new TreeMap<>();
  private final Set<String> voids = new HashSet<>();
  private final List<End> ends = new ArrayList<>();
  private final List<Ticket> queue = new ArrayList<>();
  private long revision = 100;
  private boolean away;

  /** The etcd transaction of a grant; fails as the fence would when the grant is void. */
  public synchronized long commit(String grant, List<String> hosts) {
    if (voids.contains(grant)) {
      throw new IllegalStateException("grants/" + grant + " exists as void");
    }
    revision++;
    for (String host : hosts) {
      locks.put(host, record(grant, host, hosts, LockRecord.Kind.BATCH, revision));
    }
    return revision;
  }

  /** What ends the hold of a grant on one of its hosts. */
  public synchronized End endOf(String grant, String host) {
    return new End(grant, List.of(host), locks.get(host).token(), 0, "sre", "test");
  }

  /** Somebody waits from now on. */
  public synchronized void queue(Ticket ticket) {
    queue.add(ticket);
  }

  /** Whether the store answers the ends of holds. */
  public synchronized void away(boolean nowAway) {
    away = nowAway;
  }

  /** Every end asked for, repeated ones included. */
  public synchronized List<End> ends() {
    return List.copyOf(ends);
  }

  @Override
  public synchronized List<String> end(End end) {
    if (away) {
      throw new IllegalStateException("etcd does not answer");
    }
    ends.add(end);
    List<String> left = new ArrayList<>();
    for (String host : end.hosts()) {
      LockRecord lock = locks.get(host);
      if (lock != null && lock.id().equals(end.grantId()) && lock.token() == end.token()) {
        if (lock.kind() == LockRecord.Kind.BATCH) {
          locks.remove(host);
        } else {
          left.add(host);
        }
      }
    }
    return left;
  }

  @Override
  public synchronized boolean quarantine(String grantId, String host, String reason) {
    LockRecord lock = locks.get(host);
    if (lock == null || !lock.id().equals(grantId)) {
      return false;
    }
    locks.put(host, record(grantId, host, lock.hosts(), LockRecord.Kind.QUARANTINE, lock.token()));
    return true;
  }

  @Override
  public synchronized List<LockRecord> find(String grantId) {
    return locks.values().stream().filter(lock -> lock.id().equals(grantId)).toList();
  }

  @Override
  public synchronized Settled voidGrant(Proposed proposed, String reason) {
    String grantId = proposed.grantId();
    for (LockRecord lock : locks.values()) {
      if (lock.id().equals(grantId)) {
        return new Settled.Committed(lock.token());
      }
    }
    voids.add(grantId);
    return new Settled.Voided();
  }

  @Override
  public synchronized LockTable table() {
    return new LockTable(revision, locks, queue, Map.of(), Set.of());
  }

  private static LockRecord record(
      String grant, String host, List<String> hosts, LockRecord.Kind kind, long token) {
    return new LockRecord(
        grant,
        kind,
        LockRecord.Stage.PROVISIONAL,
        host,
        hosts,
        List.of(),
        "sre",
        "test",
        Optional.of("r1"),
        1,
        1,
        token);
  }
}
