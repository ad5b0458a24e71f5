package dev.drydock.impact.plan;

import java.util.Arrays;

/**
 * Runs an order through {@link StreamingScheduler}, each unit lasting as long as expected. May be
 * run again and again; confined to one thread.
 */
final class OrderSimulation implements StreamingScheduler.Listener {
  private static final int TELLS_EVERY = 1024;
  private static final int[] NO_GATES = {};

  private final PlanProblem planProblem;
  private final SearchBudget searchBudget;
  private final StreamingScheduler streamingScheduler;
  private final MomentQueue momentQueue = new MomentQueue();
  private final long[] begins;
  private final int[][] gatesOf;
  private final int[] canariesLeft;
  private long now;
  private long last;
  private long longest;
  private int begun;

  OrderSimulation(PlanProblem planProblem) {
    this(planProblem, SearchBudget.none());
  }

  /** The budget hears how far a run is. */
  OrderSimulation(PlanProblem planProblem, SearchBudget searchBudget) {
    this.planProblem = planProblem;
    this.searchBudget = searchBudget;
    this.streamingScheduler = new StreamingScheduler(planProblem);
    this.begins = new long[planProblem.units()];
    this.gatesOf = new int[planProblem.units()][];
    this.canariesLeft = new int[planProblem.canaries().size()];
    Arrays.fill(gatesOf, NO_GATES);
    for (int gate = 0; gate < canariesLeft.length; gate++) {
      for (int unit : planProblem.canaries().get(gate).units()) {
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
    return streamingScheduler.checks();
  }

  void begin(int[] order, int reserving, long atMost) {
    momentQueue.clear();
    Arrays.fill(begins, -1);
    now = 0;
    last = 0;
    begun = 0;
    longest = atMost;
    for (int gate = 0; gate < canariesLeft.length; gate++) {
      canariesLeft[gate] = planProblem.canaries().get(gate).units().length;
      if (canariesLeft[gate] == 0) {
        momentQueue.add(0, -1 - planProblem.canaries().get(gate).gate());
      }
    }
    for (PlanProblem.Opening opening : planProblem.openings()) {
      momentQueue.add(opening.millis(), -1 - opening.gate());
    }
    for (PlanProblem.Past past : planProblem.past()) {
      momentQueue.add(
          planProblem.limits().millis(past.rate()) - past.agoMillis(), -1 - past.rate());
    }
    for (int unit = 0; unit < planProblem.units(); unit++) {
      if (planProblem.isDown(unit) && planProblem.downUntil()[unit] != PlanInput.FOR_GOOD) {
        momentQueue.add(planProblem.downUntil()[unit], unit);
      }
    }
    streamingScheduler.begin(order, reserving, this);
  }

  boolean isOver() {
    return momentQueue.isEmpty();
  }

  /** The next moment at which something ends or opens, and all that begins then. */
  void advance() {
    now = momentQueue.soonest();
    streamingScheduler.at(now);
    while (!momentQueue.isEmpty() && momentQueue.soonest() == now) {
      int what = momentQueue.remove();
      if (what < 0) {
        streamingScheduler.mayOpen(-1 - what);
      } else {
        streamingScheduler.ended(what);
        for (int gate : gatesOf[what]) {
          canaryEnded(gate);
        }
      }
    }
    streamingScheduler.decide(this);
  }

  private void canaryEnded(int gate) {
    if (--canariesLeft[gate] == 0) {
      PlanProblem.Canaries canaries = planProblem.canaries().get(gate);
      momentQueue.add(now + canaries.soakMillis(), -1 - canaries.gate());
    }
  }

  @Override
  public void begins(int unit) {
    begins[unit] = now;
    long end = now + planProblem.millis()[unit];
    last = Math.max(last, end);
    momentQueue.add(end, unit);
    if (++begun % TELLS_EVERY == 0) {
      searchBudget.planned(begun, planProblem.units());
    }
  }

  @Override
  public void mayOpen(int limit, long millis) {
    momentQueue.add(millis, -1 - limit);
  }

  private int[] waits() {
    int[] waits = new int[planProblem.units()];
    Arrays.setAll(waits, unit -> begins[unit] < 0 ? streamingScheduler.waitsOn(unit) : -1);
    return waits;
  }
}
