package dev.drydock.impact.plan;

import java.util.Arrays;

/**
 * Runs an order through {@link Streaming}, each unit lasting as long as expected. May be run again
 * and again; confined to one thread.
 */
final class Simulation implements Streaming.Listener {
  private static final int TELLS_EVERY = 1024;
  private static final int[] NO_GATES = {};

  private final Work work;
  private final Budget budget;
  private final Streaming streaming;
  private final Moments moments = new Moments();
  private final long[] begins;
  private final int[][] gatesOf;
  private final int[] canariesLeft;
  private long now;
  private long last;
  private long longest;
  private int begun;

  Simulation(Work work) {
    this(work, Budget.none());
  }

  /** The budget hears how far a run is. */
  Simulation(Work work, Budget budget) {
    this.work = work;
    this.budget = budget;
    this.streaming = new Streaming(work);
    this.begins = new long[work.units()];
    this.gatesOf = new int[work.units()][];
    this.canariesLeft = new int[work.canaries().size()];
    Arrays.fill(gatesOf, NO_GATES);
    for (int gate = 0; gate < canariesLeft.length; gate++) {
      for (int unit : work.canaries().get(gate).units()) {
        if (unit != PolicyGates.NO_UNIT) {
          gatesOf[unit] = Arrays.copyOf(gatesOf[unit], gatesOf[unit].length + 1);
          gatesOf[unit][gatesOf[unit].length - 1] = gate;
        }
      }
    }
  }

  /** The whole schedule of an order of all units that are not down. */
  Schedule run(int[] order, int reserving) {
    begin(order, reserving, Long.MAX_VALUE - 1);
    while (!isOver()) {
      advance();
    }
    return new Schedule(begins.clone(), waits(), last, checks());
  }

  /** Only when the last unit would end; {@link Schedule#TOO_LONG} as soon as it is after that. */
  long makespan(int[] order, int reserving, long atMost) {
    begin(order, reserving, atMost);
    while (!isOver() && last <= longest) {
      advance();
    }
    return last <= longest ? last : Schedule.TOO_LONG;
  }

  /** When units began in the run just made: the array itself, which the next one overwrites. */
  long[] begins() {
    return begins;
  }

  /** How often a unit was asked whether it fits, in all runs so far. */
  long checks() {
    return streaming.checks();
  }

  void begin(int[] order, int reserving, long atMost) {
    moments.clear();
    Arrays.fill(begins, -1);
    now = 0;
    last = 0;
    begun = 0;
    longest = atMost;
    for (int gate = 0; gate < canariesLeft.length; gate++) {
      canariesLeft[gate] = work.canaries().get(gate).units().length;
      if (canariesLeft[gate] == 0) {
        moments.add(0, -1 - work.canaries().get(gate).gate());
      }
    }
    for (Work.Opening opening : work.openings()) {
      moments.add(opening.millis(), -1 - opening.gate());
    }
    for (Work.Past past : work.past()) {
      moments.add(work.limits().millis(past.rate()) - past.agoMillis(), -1 - past.rate());
    }
    for (int unit = 0; unit < work.units(); unit++) {
      if (work.isDown(unit) && work.downUntil()[unit] != Situation.FOR_GOOD) {
        moments.add(work.downUntil()[unit], unit);
      }
    }
    streaming.begin(order, reserving, this);
  }

  boolean isOver() {
    return moments.isEmpty();
  }

  /** The next moment at which something ends or opens, and all that begins then. */
  void advance() {
    now = moments.soonest();
    streaming.at(now);
    while (!moments.isEmpty() && moments.soonest() == now) {
      int what = moments.remove();
      if (what < 0) {
        streaming.mayOpen(-1 - what);
      } else {
        streaming.ended(what);
        for (int gate : gatesOf[what]) {
          canaryEnded(gate);
        }
      }
    }
    streaming.decide(this);
  }

  private void canaryEnded(int gate) {
    if (--canariesLeft[gate] == 0) {
      Work.Canaries canaries = work.canaries().get(gate);
      moments.add(now + canaries.soakMillis(), -1 - canaries.gate());
    }
  }

  @Override
  public void begins(int unit) {
    begins[unit] = now;
    long end = now + work.millis()[unit];
    last = Math.max(last, end);
    moments.add(end, unit);
    if (++begun % TELLS_EVERY == 0) {
      budget.planned(begun, work.units());
    }
  }

  @Override
  public void mayOpen(int limit, long millis) {
    moments.add(millis, -1 - limit);
  }

  private int[] waits() {
    int[] waits = new int[work.units()];
    Arrays.setAll(waits, unit -> begins[unit] < 0 ? streaming.waitsOn(unit) : -1);
    return waits;
  }
}
