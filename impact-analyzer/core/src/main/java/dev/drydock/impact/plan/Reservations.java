package dev.drydock.impact.plan;

import java.util.Arrays;

/**
 * What the first units that wait keep from later ones. A unit that takes of many limits at once
 * would wait for long while others, asking for less, take whatever gets free: so the first few
 * reserve what they need, and who comes later may only take what they leave (protocol P3).
 *
 * <p>Only who waits for what is sure to end reserves: never for a window, a rate, a canary, or
 * beside what is down for good. Among those who reserve the order decides. Their number is bounded,
 * because what is reserved stands idle.
 */
final class Reservations {
  private final PlanProblem planProblem;
  private final PlanLimits planLimits;
  private final int[] reserved;
  private final boolean[] reserves;
  private final LimitUsage lasting;
  private int most;
  private int count;
  private int next;

  Reservations(PlanProblem planProblem) {
    this.planProblem = planProblem;
    this.planLimits = planProblem.limits();
    this.reserved = new int[planLimits.size()];
    this.reserves = new boolean[planProblem.units()];
    this.lasting = new LimitUsage(planProblem);
    IntList ignored = new IntList();
    for (int unit = 0; unit < planProblem.units(); unit++) {
      if (planProblem.downUntil()[unit] == PlanInput.FOR_GOOD) {
        lasting.take(unit, ignored, ignored);
      }
    }
    lasting.forgetAllRates();
  }

  /** From the beginning, for at most so many units at a time. */
  void begin(int unitsMost) {
    most = unitsMost;
    count = 0;
    next = 0;
    Arrays.fill(reserved, 0);
    Arrays.fill(reserves, false);
  }

  /** The limit where others reserve what the unit needs, or {@link LimitUsage#FREE}. */
  int blocker(int unit, LimitUsage limitUsage) {
    if (count == 0 || reserves[unit]) {
      return LimitUsage.FREE;
    }
    for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
      int limit = planProblem.rowLimit()[row];
      if (reserved[limit] > 0
          && limitUsage.used(limit) + planProblem.rowTakes()[row] + reserved[limit]
              > planLimits.most(limit)) {
        return limit;
      }
    }
    return LimitUsage.FREE;
  }

  /** The next place in the order that may reserve; -1 when there are enough, or no more. */
  int nextPlace(int places) {
    return count < most && next < places ? next++ : -1;
  }

  /** The unit reserves if what blocks it is sure to end; whether it does. */
  boolean reserve(int unit, int blocker) {
    int forGood = lasting.blocker(unit);
    if (!ends(blocker) || (forGood != LimitUsage.FREE && ends(forGood))) {
      return false;
    }
    reserves[unit] = true;
    count++;
    add(unit, 1);
    return true;
  }

  /** Whether the unit's reservation is of no use, because of what blocks it now. */
  boolean isIdle(int unit, int blocker) {
    return reserves[unit] && !ends(blocker);
  }

  /** The unit began, or waits for what may not end: it reserves no more. */
  void drop(int unit) {
    if (reserves[unit]) {
      reserves[unit] = false;
      count--;
      add(unit, -1);
    }
  }

  private boolean ends(int blocker) {
    byte kind = planLimits.kind(blocker);
    return kind == PlanLimits.CAPACITY || kind == PlanLimits.DOMAIN;
  }

  private void add(int unit, int sign) {
    for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
      int limit = planProblem.rowLimit()[row];
      if (planLimits.kind(limit) == PlanLimits.CAPACITY) {
        reserved[limit] += sign * planProblem.rowTakes()[row];
      }
    }
  }
}
