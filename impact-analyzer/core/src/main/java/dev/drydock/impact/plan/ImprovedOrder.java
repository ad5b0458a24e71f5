package dev.drydock.impact.plan;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Improves the best of the first orders as long as the budget lasts, in two ways by turns:
 *
 * <ul>
 *   <li>Exchanging units in the order: late acceptance hill climbing, in which a change is kept if
 *       it is no worse than what was accepted some changes ago. That needs no temperature, so it
 *       need not know how long it has. Only where {@link FastOrderSimulation} suits: elsewhere a
 *       run takes too long for many of them.
 *   <li>Moving units within the schedule of the best order, see {@link Justification}.
 * </ul>
 */
final class ImprovedOrder implements OrderSearch {
  private static final int HISTORY = 100;

  /** Exchanges before units are moved again, times units: either takes its share of the time. */
  private static final int EXCHANGED_UNITS = 100_000;

  private static final int MOVES = 10;
  private static final int MOVES_BETWEEN_ORDERS = 3;
  private static final long ANY = Long.MAX_VALUE - 1;

  @Override
  public Schedule search(PlanProblem planProblem, Bound bound, SearchBudget searchBudget) {
    OrderSimulation orderSimulation = new OrderSimulation(planProblem, searchBudget);
    StreamingOrder streaming = new StreamingOrder(planProblem, orderSimulation);
    SearchBudget more = () -> streaming.best().makespan() > bound.millis() && searchBudget.isLeft();
    boolean exchanges = FastOrderSimulation.suits(planProblem);
    while ((exchanges || !Justification.suits(planProblem))
        && !streaming.isOver()
        && more.isLeft()) {
      streaming.tryNext();
    }
    Schedule first = orderSimulation.run(streaming.best().order(), streaming.best().reserving());
    if (first.makespan() <= bound.millis() || !Justification.suits(planProblem)) {
      return first;
    }
    return exchanges
        ? exchanged(
            planProblem, orderSimulation, first, streaming.best().order(), bound, searchBudget)
        : moved(planProblem, orderSimulation, first, streaming, bound, searchBudget);
  }

  private static Schedule exchanged(
      PlanProblem planProblem,
      OrderSimulation orderSimulation,
      Schedule first,
      int[] order,
      Bound bound,
      SearchBudget searchBudget) {
    Justification justified = new Justification(planProblem, searchBudget, first);
    Climb climb = new Climb(planProblem, order, searchBudget);
    while (justified.makespan() > bound.millis() && searchBudget.isLeft()) {
      if (climb.goesOn(bound.millis(), EXCHANGED_UNITS / planProblem.units())) {
        justified.offer(orderSimulation.run(climb.best, 0));
      }
      justified.rounds(MOVES, bound.millis());
    }
    return justified.schedule();
  }

  /** One run through a large fleet takes long: other orders are tried only between moves. */
  private static Schedule moved(
      PlanProblem planProblem,
      OrderSimulation orderSimulation,
      Schedule first,
      StreamingOrder streaming,
      Bound bound,
      SearchBudget searchBudget) {
    Justification justified = new Justification(planProblem, searchBudget, first);
    while (justified.makespan() > bound.millis() && searchBudget.isLeft()) {
      justified.rounds(MOVES_BETWEEN_ORDERS, bound.millis());
      if (!streaming.isOver() && searchBudget.isLeft() && streaming.tryNext()) {
        StreamingOrder.Found better = streaming.best();
        justified.offer(orderSimulation.run(better.order(), better.reserving()));
      }
    }
    return justified.schedule();
  }

  /** Exchanges units in an order, and keeps the best one. */
  private static final class Climb {
    private final SplittableRandom random = new SplittableRandom(1);
    private final long[] history = new long[HISTORY];
    private final FastOrderSimulation fast;
    private final SearchBudget searchBudget;
    private final int[] order;
    private int[] best;
    private long current;
    private long shortest;
    private int turn;

    Climb(PlanProblem planProblem, int[] from, SearchBudget searchBudget) {
      this.fast = new FastOrderSimulation(planProblem);
      this.searchBudget = searchBudget;
      this.order = from.clone();
      this.best = from.clone();
      this.current = fast.makespan(order, ANY);
      this.shortest = current;
      Arrays.fill(history, current);
    }

    /** Whether a better one was found. */
    boolean goesOn(long bound, int turns) {
      long before = shortest;
      int last = turn + turns;
      for (; turn < last && shortest > bound && searchBudget.isLeft(); turn++) {
        int one = random.nextInt(order.length);
        int other = random.nextInt(order.length);
        exchange(one, other);
        accept(one, other, turn % HISTORY);
      }
      return shortest < before;
    }

    private void accept(int one, int other, int at) {
      long worst = Math.max(history[at], current);
      long makespan = fast.makespan(order, worst);
      if (makespan <= worst) {
        current = makespan;
        if (makespan < shortest) {
          shortest = makespan;
          best = order.clone();
        }
      } else {
        exchange(one, other);
      }
      history[at] = Math.min(history[at], current);
    }

    private void exchange(int one, int other) {
      int kept = order[one];
      order[one] = order[other];
      order[other] = kept;
    }
  }
}
