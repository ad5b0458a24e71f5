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
final class Streaming {
  private final Work work;
  private final Limits limits;
  private final Usage usage;
  private final Reservations reservations;
  private final WatchLists watch;
  private final Ints[] domainsWaiting;
  private final boolean[] listed;
  private final int[] order;
  private final int[] waitsOn;
  private final boolean[] begun;

  /** Limits that may have room now and have somebody waiting. */
  private final Ints touched = new Ints();

  private final boolean[] isTouched;
  private final Ints deferred = new Ints();
  private final Ints unreserved = new Ints();
  private final Ints scratch = new Ints();
  private final Ints rated = new Ints();
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

  Streaming(Work work) {
    this.work = work;
    this.limits = work.limits();
    this.usage = new Usage(work);
    this.reservations = new Reservations(work);
    this.begun = new boolean[work.units()];
    this.watch = new WatchLists(limits.size());
    this.domainsWaiting = new Ints[limits.groups()];
    this.listed = new boolean[limits.size()];
    this.order = new int[work.units()];
    this.waitsOn = new int[work.units()];
    this.isTouched = new boolean[limits.size()];
    this.opensAt = new long[limits.size()];
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
    usage.clear();
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
    for (int unit = 0; unit < work.units(); unit++) {
      if (work.isDown(unit)) {
        take(unit, listener);
      }
    }
    for (int place = 0; place < wanted.length; place++) {
      int unit = wanted[place];
      order[place] = unit;
      if (!work.isDown(unit)) {
        ask(place, listener);
      }
    }
    decide(listener);
  }

  void at(long millis) {
    now = millis;
    usage.at(millis);
  }

  /** The unit is done, and up again: what it took is free for whoever {@link #decide} finds. */
  void ended(int unit) {
    scratch.clear();
    rated.clear();
    usage.give(unit, scratch, rated);
    for (int i = 0; i < scratch.size(); i++) {
      touch(scratch.get(i));
    }
    for (int i = 0; i < rated.size(); i++) {
      Ints waiting = domainsWaiting[rated.get(i)];
      for (int d = 0; waiting != null && d < waiting.size(); d++) {
        touch(waiting.get(d));
      }
    }
  }

  /** The limit may have room by the passing of time alone. */
  void mayOpen(int limit) {
    switch (limits.kind(limit)) {
      case Limits.RATE -> usage.forget(limit);
      case Limits.GATE -> usage.open(limit);
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
        if (blocker == Usage.FREE) {
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
      for (int row = work.rowFirst()[unit]; row < work.rowFirst()[unit + 1]; row++) {
        unreserved.add(work.rowLimit()[row]); // Whom it stopped may be deferred as well just now.
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
        int blocker = usage.blocker(unit);
        if (blocker == Usage.FREE) {
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
      if (limits.kind(limit) == Limits.DOMAIN && usage.admits(limit)) {
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
    if (usage.blocker(unit) != limit) {
      touch(limit);
    }
  }

  /** The touched limit whose first waiting unit is first of all; -1 when none has room. */
  private int firstTouched() {
    int best = -1;
    int bestPlace = Integer.MAX_VALUE;
    for (int i = touched.size() - 1; i >= 0; i--) {
      int limit = touched.get(i);
      if (watch.isEmpty(limit) || !usage.admits(limit)) {
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
    if (blocker == Usage.FREE) {
      take(unit, listener);
      listener.begins(unit);
    } else {
      waitsOn[unit] = blocker;
      await(blocker, place, listener);
    }
  }

  private int blocker(int unit) {
    checks++;
    int blocker = usage.blocker(unit);
    return blocker == Usage.FREE ? reservations.blocker(unit, usage) : blocker;
  }

  private void take(int unit, Listener listener) {
    begun[unit] = true;
    reservations.drop(unit);
    scratch.clear();
    rated.clear();
    usage.take(unit, scratch, rated);
    for (int i = 0; i < scratch.size(); i++) {
      touch(scratch.get(i));
    }
    for (int i = 0; i < rated.size(); i++) {
      int rate = rated.get(i);
      listener.mayOpen(rate, now + limits.millis(rate));
    }
  }

  private void await(int limit, int place, Listener listener) {
    watch.add(limit, place);
    byte kind = limits.kind(limit);
    if (kind == Limits.DOMAIN && !listed[limit]) {
      listed[limit] = true;
      int group = limits.group(limit);
      if (domainsWaiting[group] == null) {
        domainsWaiting[group] = new Ints();
      }
      domainsWaiting[group].add(limit);
    } else if (kind == Limits.CALENDAR && opensAt[limit] < 0) {
      opensAt[limit] = usage.opens(limit);
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
