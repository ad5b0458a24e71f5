package dev.drydock.lock.explorer;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One state of everything: etcd, clients, rollouts' rows, grantors, what is on its way, and the
 * hosts themselves. Mutable while a move is made; not changed afterwards.
 */
final class Model {

  /** How far a client is. */
  enum Phase {
    IDLE,
    /** Its request was sent, and it waits for what becomes of it. */
    ASKED,
    /** It works on its hosts. */
    HOLDS,
    /** Served, refused or left. */
    OVER,
    /** Died while it waited, or left. */
    DEAD,
    /** Died, or stopped because it could not renew or heard that its lock expired. */
    LAPSED
  }

  /** How far a batch is, as its row says. */
  enum Row {
    PENDING,
    BACKING_OFF,
    PROPOSED,
    GRANTED,
    DONE
  }

  /**
   * A transaction on its way.
   *
   * @param sender the grantor that waits for the answer; {@link #NOBODY} if nobody does
   * @param policy version of the rules it was judged by
   * @param read revision it was decided at
   * @param inLine requests that were in line then, by bit
   */
  record Message(int sender, Transaction transaction, int policy, long read, int inLine) {
    static final int NOBODY = -1;

    Message unheard() {
      return new Message(NOBODY, transaction, policy, read, inLine);
    }
  }

  static final int GRANTORS = 2;

  final Scenario scenario;
  ModelEtcd etcd;
  final Phase[] phase;
  final Row[] row;

  /** How often a batch was proposed; its grant is named after it. */
  final int[] attempt;

  final @Nullable Seniority[] age;

  /** Create revision of the leadership a grantor believes in; 0 for none. */
  final long[] fence = new long[GRANTORS];

  final boolean[] unsettled = new boolean[GRANTORS];

  /** Clients whose lock expired a lease ago, as the grantor in office saw it itself. */
  final boolean[] lapsing;

  /** What a grantor sends when the message before it came through. */
  final List<List<Message>> rest;

  List<Message> network = new ArrayList<>();
  int policy;
  int acknowledged;
  boolean late;

  /** Hosts seen healthy since the last lock on them ended. */
  final Set<String> seen = new TreeSet<>();

  /** Hosts that somebody worked on since they were last healthy: the truth, whoever knows it. */
  final Set<String> dirty = new TreeSet<>();

  final int[] left;
  int total;

  Model(Scenario scenario) {
    this.scenario = scenario;
    int count = scenario.requests().size();
    etcd = new ModelEtcd(0, Map.of(), 0);
    phase = new Phase[count];
    row = new Row[count];
    attempt = new int[count];
    age = new @Nullable Seniority[count];
    lapsing = new boolean[count];
    rest = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      phase[i] = Phase.IDLE;
      row[i] = Row.PENDING;
    }
    for (int p = 0; p < GRANTORS; p++) {
      rest.add(List.of());
    }
    left = new int[Scenario.Fault.values().length];
    scenario.faults().forEach((fault, times) -> left[fault.ordinal()] = times);
    total = scenario.total();
    seen.addAll(Scenario.HOSTS);
  }

  Model(Model from) {
    scenario = from.scenario;
    etcd = from.etcd;
    phase = from.phase.clone();
    row = from.row.clone();
    attempt = from.attempt.clone();
    age = from.age.clone();
    lapsing = from.lapsing.clone();
    System.arraycopy(from.fence, 0, fence, 0, GRANTORS);
    System.arraycopy(from.unsettled, 0, unsettled, 0, GRANTORS);
    rest = new ArrayList<>(from.rest);
    network = new ArrayList<>(from.network);
    policy = from.policy;
    acknowledged = from.acknowledged;
    late = from.late;
    seen.addAll(from.seen);
    dirty.addAll(from.dirty);
    left = from.left.clone();
    total = from.total;
  }

  Scenario.Request request(int i) {
    return scenario.requests().get(i);
  }

  /** The id of a client's ticket and session lock. */
  String id(int i) {
    return request(i).id();
  }

  String grantId(int i) {
    return "g-" + request(i).id() + "-" + attempt[i];
  }

  boolean may(Scenario.Fault fault) {
    return total > 0 && left[fault.ordinal()] > 0;
  }

  void spend(Scenario.Fault fault) {
    left[fault.ordinal()]--;
    total--;
  }

  /** The lock etcd has on a host. */
  @Nullable LockRecord lock(String host) {
    ModelEtcd.Cell hold = etcd.cells().get(new Key.Lock(host));
    if (hold != null) {
      return (LockRecord) hold.value();
    }
    for (ModelEtcd.Cell cell : etcd.cells().values()) {
      if (cell.value() instanceof SessionLock session) {
        for (LockRecord lock : session.held()) {
          if (lock.host().equals(host)) {
            return lock;
          }
        }
      }
    }
    return null;
  }

  /** Who works on a host now, by what they know themselves. */
  List<String> workers(String host) {
    List<String> workers = new ArrayList<>();
    for (int i = 0; i < phase.length; i++) {
      boolean works = request(i).foreign() ? phase[i] == Phase.HOLDS : row[i] == Row.GRANTED;
      if (works && request(i).hosts().contains(host)) {
        LockRecord lock = lock(host);
        boolean quarantined = lock != null && lock.kind() == LockRecord.Kind.QUARANTINE;
        if (!quarantined) {
          workers.add(request(i).id());
        }
      }
    }
    return workers;
  }

  /** Whether a client's lock is there and what it lives by is not, whoever knows. */
  boolean expired(int i) {
    LockTable table = etcd.snapshot().table();
    return table.locks().values().stream()
        .anyMatch(lock -> lock.id().equals(id(i)) && table.expired(lock) && !table.noted(lock));
  }

  /** Whether a grant of this id is on its way. */
  boolean underWay(Key<?> key) {
    return network.stream().anyMatch(message -> puts(message.transaction(), key))
        || rest.stream().flatMap(List::stream).anyMatch(m -> puts(m.transaction(), key));
  }

  static boolean puts(Transaction transaction, Key<?> key) {
    return transaction.operations().stream()
        .anyMatch(
            op ->
                switch (op) {
                  case Op.Put<?> put -> put.key().equals(key);
                  case Op.Nested nested -> puts(nested.transaction(), key);
                  case Op.Delete delete -> false;
                  case Op.Get get -> false;
                });
  }
}
