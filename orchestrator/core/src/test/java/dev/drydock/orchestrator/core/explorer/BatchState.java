package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.Phase;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One state: the rows, what is true whatever they say, and what may still go wrong. A move makes a
 * copy and changes that; nobody changes one that was visited.
 */
final class BatchState {
  /** The hold of a host is that of its batch. */
  static final int HELD = 0;

  /** Its lock in etcd is a quarantine. */
  static final int QUARANTINED = 1;

  /** Nothing holds it. */
  static final int FREE = 2;

  /** The grantor said that hosts may be drained. */
  static final int OPENED = 1;

  /** That is too long ago. */
  static final int STALE = 1 << 1;

  /** Too much is repaired elsewhere. */
  static final int CROWDED = 1 << 2;

  /** The hold of the batch was ended. */
  static final int HOLD_OVER = 1 << 3;

  /** People took the hosts away. */
  static final int TAKEN = 1 << 4;

  /** A process died after the lock of a host became a quarantine, and before its row did. */
  static final int DIED_LOCKED = 1 << 5;

  BatchSnapshot rows;

  /** Bits of {@link ActualHostState}, by host. */
  final int[] truth;

  /** How a host left, as the rows say: 0 while it is in the batch. */
  final int[] ends;

  final int[] locks;
  int flags;

  /** What may still go wrong, two bits for each fault, and in all. */
  long left;

  int total;

  /**
   * What went wrong first, in which phase; 0 while nothing did. Only traces are told apart by it.
   */
  int first;

  /** Hosts whose locks became quarantines: they leave the batch with the next decision. */
  List<Action.Quarantine> leaving = List.of();

  /** An older copy of the rows. */
  @Nullable Copy copy;

  /** Rows as they were. */
  record Copy(BatchSnapshot rows, List<Integer> ends) {}

  BatchState(BatchSnapshot rows, Scenario scenario) {
    this.rows = rows;
    truth = new int[scenario.hosts()];
    ends = new int[scenario.hosts()];
    locks = new int[scenario.hosts()];
    total = scenario.total();
    scenario.faults().forEach((fault, many) -> left |= (long) many << (2 * fault.ordinal()));
  }

  private BatchState(BatchState other) {
    rows = other.rows;
    truth = other.truth.clone();
    ends = other.ends.clone();
    locks = other.locks.clone();
    flags = other.flags;
    left = other.left;
    total = other.total;
    first = other.first;
    leaving = other.leaving;
    copy = other.copy;
  }

  BatchState copied() {
    return new BatchState(this);
  }

  /** The number of a host by its name. */
  static int of(String host) {
    return host.charAt(1) - '1';
  }

  boolean may(Fault fault) {
    return total > 0 && (left >> (2 * fault.ordinal()) & 3) > 0;
  }

  /** Once it went wrong. */
  void spend(Fault fault, Predicate<Phase> marks, Phase phase) {
    left -= 1L << (2 * fault.ordinal());
    total--;
    if (total == 0) {
      left = 0;
    }
    if (first == 0 && marks.test(phase)) {
      first = 1 + phase.ordinal() * Fault.Exit.values().length + fault.exit().ordinal();
    }
  }

  boolean is(int flag) {
    return (flags & flag) != 0;
  }

  void left(String host, HostEnd end) {
    ends[of(host)] = 1 + end.ordinal();
  }

  /** The run is over that would have let locked hosts leave. */
  void forgetLeaving() {
    if (!leaving.isEmpty()) {
      leaving = List.of();
      flags |= DIED_LOCKED;
    }
  }

  /** The hold of the batch ends; quarantines stay. */
  void endHold() {
    for (int host = 0; host < locks.length; host++) {
      if (locks[host] == HELD) {
        locks[host] = FREE;
      }
    }
    flags |= HOLD_OVER;
  }

  boolean over() {
    return !rows.grant().alive() && is(HOLD_OVER);
  }

  /** What tells it from all other states. */
  StateHash.Key key() {
    StateHash stateHash = new StateHash();
    stateHash.rows(rows);
    Arrays.stream(truth).forEach(stateHash::add);
    Arrays.stream(ends).forEach(stateHash::add);
    Arrays.stream(locks).forEach(stateHash::add);
    leaving.forEach(host -> stateHash.add(of(host.host())));
    stateHash.add(flags).add(left).add(total).add(first);
    if (copy != null) {
      stateHash.rows(copy.rows());
      copy.ends().forEach(stateHash::add);
    }
    return stateHash.key();
  }
}
