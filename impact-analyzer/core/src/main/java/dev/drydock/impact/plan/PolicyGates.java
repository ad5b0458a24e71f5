package dev.drydock.impact.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Counts which units of one rollout wait at which of its gates, and for which units. */
final class PolicyGates {
  /** Stands for a canary that is in no unit. It cannot begin, so its gate stays closed. */
  static final int NO_UNIT = -1;

  private final List<One> gates = new ArrayList<>();

  private record One(int limit, BitSet canaries, BitSet waiting, IntList units, long soakMillis) {}

  PolicyGates(List<PlannedRollout.Gate> wanted, PlanLimits planLimits) {
    for (PlannedRollout.Gate gate : wanted) {
      gates.add(
          new One(
              planLimits.gate(gate.says()),
              set(gate.canaries()),
              set(gate.waiting()),
              new IntList(),
              gate.soak().toMillis()));
    }
  }

  private static BitSet set(int[] hosts) {
    BitSet set = new BitSet();
    for (int host : hosts) {
      set.set(host);
    }
    return set;
  }

  /** The gates a batch waits at, and {@code last} behind them unless it is negative. */
  int[] behind(int[] batch, int last) {
    IntList behind = new IntList();
    for (One gate : gates) {
      if (meets(batch, gate.waiting()) && !meets(batch, gate.canaries())) {
        behind.add(gate.limit());
      }
    }
    if (last >= 0) {
      behind.add(last);
    }
    return behind.all();
  }

  /** What became of a batch; gates that have hosts of it among their canaries wait for it. */
  void canary(int[] batch, int unit) {
    for (One gate : gates) {
      if (meets(batch, gate.canaries())) {
        gate.units().add(unit);
      }
    }
  }

  private static boolean meets(int[] batch, BitSet hosts) {
    for (int host : batch) {
      if (hosts.get(host)) {
        return true;
      }
    }
    return false;
  }

  List<PlanProblem.Canaries> canaries() {
    return gates.stream()
        .map(gate -> new PlanProblem.Canaries(gate.limit(), gate.units().all(), gate.soakMillis()))
        .toList();
  }
}
