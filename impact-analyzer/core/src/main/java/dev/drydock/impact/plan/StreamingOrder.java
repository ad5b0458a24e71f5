package dev.drydock.impact.plan;

/**
 * Streaming by a few orders that are cheap to make, with some of the first ones reserving, one
 * after the other; conflict weight comes first. For one search.
 */
final class StreamingOrder {
  private static final int[] HOSTS_PER_RESERVATION = {1_000, 250, 60, Integer.MAX_VALUE};

  private final PlanProblem planProblem;
  private final OrderSimulation orderSimulation;
  private final int[][] orders;
  private int tried;
  private Found best;

  /**
   * An order, and what it came to.
   *
   * @param reserving how many units may reserve at a time
   */
  record Found(int[] order, int reserving, long makespan) {}

  /** The first one is tried in any case. */
  StreamingOrder(PlanProblem planProblem, OrderSimulation orderSimulation) {
    this.planProblem = planProblem;
    this.orderSimulation = orderSimulation;
    this.orders =
        new int[][] {
          InitialOrders.heaviestFirst(planProblem, InitialOrders.conflictWeight(planProblem, 2)),
          InitialOrders.heaviestFirst(planProblem, InitialOrders.criticalFirst(planProblem)),
          InitialOrders.heaviestFirst(planProblem, InitialOrders.conflictWeight(planProblem, 1))
        };
    this.best = tried(Long.MAX_VALUE - 1);
  }

  Found best() {
    return best;
  }

  boolean isOver() {
    return tried == orders.length * HOSTS_PER_RESERVATION.length;
  }

  /** Whether the next one is better. */
  boolean tryNext() {
    Found next = tried(best.makespan() - 1);
    boolean better = next.makespan() < best.makespan();
    best = better ? next : best;
    return better;
  }

  private Found tried(long atMost) {
    int[] order = orders[tried / HOSTS_PER_RESERVATION.length];
    int reserving = reserving(HOSTS_PER_RESERVATION[tried % HOSTS_PER_RESERVATION.length]);
    tried++;
    return new Found(order, reserving, orderSimulation.makespan(order, reserving, atMost));
  }

  private int reserving(int hostsEach) {
    return hostsEach == Integer.MAX_VALUE ? 0 : Math.max(1, planProblem.units() / hostsEach);
  }
}
