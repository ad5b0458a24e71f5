package dev.drydock.impact.plan;

import java.util.Arrays;

/**
 * Lets units begin, in order, as soon as every limit allows: no waves. A unit that is blocked waits
 * on the one limit that blocks it, and whatever makes room in a limit asks only those who wait on
 * it, first ones first, until it is full again. So a decision costs what it changes, not what the
 * fleet holds.
 *
 * <p>Properties: a unit begins only if no limit blocks it then; when {@link #decide} returns, every
 * unit that waits is blocked by the limit it waits on, or by who reserves it; the same calls give
 * the same answers. Confined to one thread.
 */
final class StreamingScheduler {
  private final PlanProblem planProblem;
  private final PlanLimits planLimits;
  private final LimitUsage limitUsage;
  private final Reservations reservations;
  private final WatchLists watch;
  private final IntList[] domainsWaiting;
  private final boolean[] listed;
  private final int[] order;
  private final int[] waitsOn;
  private final boolean[] begun;

  /** Limits that may have room now and have somebody waiting. */
  private final IntList touched = new IntList();

  private final boolean[] isTouched;
  private final IntList deferred = new IntList();
  private final IntList unreserved = new IntList();
  private final IntList scratch = new IntList();
  private final IntList rated = new IntList();
  private final long[] opensAt;
  private int places;
  private long checks;
  private long now;

  /** What hears of decisions. */
  interface Listener {
    void begins(int unit);

    /** The limit may have room at this time. */
    void mayOpen(int limit, long millis);
  }

  StreamingScheduler(PlanProblem planProblem) {
    this.planProblem = planProblem;
    this.planLimits = planProblem.limits();
    this.limitUsage = new LimitUsage(planProblem);
    this.reservations = new Reservations(planProblem);
    this.begun = new boolean[planProblem.units()];
    this.watch = new WatchLists(planLimits.size());
    this.domainsWaiting = new IntList[planLimits.groups()];
    this.listed = new boolean[planLimits.size()];
    this.order = new int[planProblem.units()];
    this.waitsOn = new int[planProblem.units()];
    this.isTouched = new boolean[planLimits.size()];
    this.opensAt = new long[planLimits.size()];
  }

  /** How often a unit was asked whether it fits. */
  long checks() {
    return checks;
  }

  /** The limit the unit waits on; meaningless once it began. */
  int waitsOn(int unit) {
    return waitsOn[unit];
  }

  /**
   * From the beginning, in this order; units that are down already take what they have.
   *
   * @param reserving how many units that wait may reserve at a time
   */
  void begin(int[] wanted, int reserving, Listener listener) {
    limitUsage.clear();
    watch.clear();
    touched.clear();
    Arrays.fill(isTouched, false);
    Arrays.fill(listed, false);
    Arrays.fill(opensAt, -1);
    Arrays.fill(domainsWaiting, null);
    Arrays.fill(begun, false);
    reservations.begin(reserving);
    places = wanted.length;
    now = 0;
    for (int unit = 0; unit < planProblem.units(); unit++) {
      if (planProblem.isDown(unit)) {
        take(unit, listener);
      }
    }
    for (int place = 0; place < wanted.length; place++) {
      int unit = wanted[place];
      order[place] = unit;
      if (!planProblem.isDown(unit)) {
        ask(place, listener);
      }
    }
    decide(listener);
  }

  void at(long millis) {
    now = millis;
    limitUsage.at(millis);
  }

  /** The unit is done, and up again: what it took is free for whoever {@link #decide} finds. */
  void ended(int unit) {
    scratch.clear();
    rated.clear();
    limitUsage.give(unit, scratch, rated);
    for (int i = 0; i < scratch.size(); i++) {
      touch(scratch.get(i));
    }
    for (int i = 0; i < rated.size(); i++) {
      IntList waiting = domainsWaiting[rated.get(i)];
      for (int d = 0; waiting != null && d < waiting.size(); d++) {
        touch(waiting.get(d));
      }
    }
  }

  /** The limit may have room by the passing of time alone. */
  void mayOpen(int limit) {
    switch (planLimits.kind(limit)) {
      case PlanLimits.RATE -> limitUsage.forget(limit);
      case PlanLimits.GATE -> limitUsage.open(limit);
      default -> opensAt[limit] = -1;
    }
    touch(limit);
  }

  /** Lets begin whoever can now. */
  void decide(Listener listener) {
    do {
      while (touched.size() > 0) {
        int best = firstTouched();
        if (best < 0) {
          break;
        }
        int place = watch.removeFirst(best);
        int unit = order[place];
        if (begun[unit]) {
          continue; // Who reserves may stand in two lists, and begin without being in either.
        }
        int blocker = blocker(unit);
        if (blocker == LimitUsage.FREE) {
          take(unit, listener);
          listener.begins(unit);
        } else {
          defer(place, blocker);
        }
      }
      reserve(listener);
    } while (replace(listener));
  }

  private void defer(int place, int blocker) {
    int unit = order[place];
    waitsOn[unit] = blocker;
    deferred.add(place);
    if (reservations.isIdle(unit, blocker)) {
      reservations.drop(unit);
      for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
        unreserved.add(
            planProblem.rowLimit()[row]); // Whom it stopped may be deferred as well just now.
      }
    }
  }

  /** Lets the first ones that wait reserve, in place of those that began. */
  private void reserve(Listener listener) {
    int place = reservations.nextPlace(places);
    while (place >= 0) {
      int unit = order[place];
      if (!begun[unit]) {
        checks++;
        int blocker = limitUsage.blocker(unit);
        if (blocker == LimitUsage.FREE) {
          take(unit, listener); // Only what others reserved was in its way, and it is one of them.
          listener.begins(unit);
        } else if (reservations.reserve(unit, blocker)) {
          // What blocked it when it was asked last may have been another limit, such as a gate.
          waitsOn[unit] = blocker;
          await(blocker, place, listener);
        }
      }
      place = reservations.nextPlace(places);
    }
  }

  /** Those asked in vain wait on what blocked them; true if that has room by now. */
  private boolean replace(Listener listener) {
    for (int i = 0; i < deferred.size(); i++) {
      int place = deferred.get(i);
      int limit = waitsOn[order[place]];
      await(limit, place, listener);
      // Only a domain gets room while units begin: the first that enters lets the others in.
      if (planLimits.kind(limit) == PlanLimits.DOMAIN && limitUsage.admits(limit)) {
        touchIfRoomForOneMore(limit, order[place]);
      }
    }
    deferred.clear();
    for (int i = 0; i < unreserved.size(); i++) {
      touch(unreserved.get(i));
    }
    unreserved.clear();
    return touched.size() > 0;
  }

  private void touchIfRoomForOneMore(int limit, int unit) {
    if (limitUsage.blocker(unit) != limit) {
      touch(limit);
    }
  }

  /** The touched limit whose first waiting unit is first of all; -1 when none has room. */
  private int firstTouched() {
    int best = -1;
    int bestPlace = Integer.MAX_VALUE;
    for (int i = touched.size() - 1; i >= 0; i--) {
      int limit = touched.get(i);
      if (watch.isEmpty(limit) || !limitUsage.admits(limit)) {
        touched.removeAt(i);
        isTouched[limit] = false;
      } else if (watch.first(limit) < bestPlace) {
        best = limit;
        bestPlace = watch.first(limit);
      }
    }
    return best;
  }

  private void ask(int place, Listener listener) {
    int unit = order[place];
    int blocker = blocker(unit);
    if (blocker == LimitUsage.FREE) {
      take(unit, listener);
      listener.begins(unit);
    } else {
      waitsOn[unit] = blocker;
      await(blocker, place, listener);
    }
  }

  private int blocker(int unit) {
    checks++;
    int blocker = limitUsage.blocker(unit);
    return blocker == LimitUsage.FREE ? reservations.blocker(unit, limitUsage) : blocker;
  }

  private void take(int unit, Listener listener) {
    begun[unit] = true;
    reservations.drop(unit);
    scratch.clear();
    rated.clear();
    limitUsage.take(unit, scratch, rated);
    for (int i = 0; i < scratch.size(); i++) {
      touch(scratch.get(i));
    }
    for (int i = 0; i < rated.size(); i++) {
      int rate = rated.get(i);
      listener.mayOpen(rate, now + planLimits.millis(rate));
    }
  }

  private void await(int limit, int place, Listener listener) {
    watch.add(limit, place);
    byte kind = planLimits.kind(limit);
    if (kind == PlanLimits.DOMAIN && !listed[limit]) {
      listed[limit] = true;
      int group = planLimits.group(limit);
      if (domainsWaiting[group] == null) {
        domainsWaiting[group] = new IntList();
      }
      domainsWaiting[group].add(limit);
    } else if (kind == PlanLimits.CALENDAR && opensAt[limit] < 0) {
      opensAt[limit] = limitUsage.opens(limit);
      if (opensAt[limit] >= 0) {
        listener.mayOpen(limit, opensAt[limit]);
      }
    }
  }

  private void touch(int limit) {
    if (!isTouched[limit] && !watch.isEmpty(limit)) {
      isTouched[limit] = true;
      touched.add(limit);
    }
  }
}
