package dev.drydock.impact.plan;

import java.util.HashMap;
import java.util.Map;

/**
 * Times before which no plan can end: the best of several formulas. Work that is down already does
 * not count, which keeps them true.
 */
final class Bounds {
  private Bounds() {}

  static Bound of(PlanProblem planProblem, SearchBudget searchBudget) {
    Bound best =
        longest(planProblem)
            .or(serviceWork(planProblem))
            .or(rates(planProblem))
            .or(domains(planProblem));
    return best.or(CliqueBound.of(planProblem, best, searchBudget));
  }

  private static Bound longest(PlanProblem planProblem) {
    long longest = 0;
    for (int unit = 0; unit < planProblem.units(); unit++) {
      longest = Math.max(longest, planProblem.isDown(unit) ? 0 : planProblem.millis()[unit]);
    }
    return new Bound(longest, "the longest work on one host or batch");
  }

  /** Host time of an application's instances, shared out among those that may be down at once. */
  private static Bound serviceWork(PlanProblem planProblem) {
    double[] load = InitialOrders.load(planProblem);
    Bound best = new Bound(0, "nothing to do");
    for (int limit = 0; limit < load.length; limit++) {
      if (planProblem.limits().kind(limit) == PlanLimits.CAPACITY && load[limit] > 0) {
        int most = planProblem.limits().most(limit);
        long millis = (long) Math.ceil(load[limit] / most);
        if (millis > best.millis()) {
          best =
              new Bound(
                  millis,
                  "service work of %s: %s of its %s ÷ %d down at once (%s)"
                      .formatted(
                          whose(planProblem, limit),
                          PlanTimeFormat.span((long) load[limit]),
                          planProblem.limits().inUnits(limit) ? "units of capacity" : "instances",
                          most,
                          planProblem.limits().rule(limit)));
        }
      }
    }
    return best;
  }

  /** After each full share of the rate its time has to pass. */
  private static Bound rates(PlanProblem planProblem) {
    long[] takes = new long[planProblem.limits().size()];
    for (int unit = 0; unit < planProblem.units(); unit++) {
      for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
        takes[planProblem.rowLimit()[row]] +=
            planProblem.isDown(unit) ? 0 : planProblem.rowTakes()[row];
      }
    }
    Bound best = new Bound(0, "");
    for (int limit = 0; limit < takes.length; limit++) {
      if (planProblem.limits().kind(limit) == PlanLimits.RATE && takes[limit] > 0) {
        long rounds = (takes[limit] - 1) / planProblem.limits().most(limit);
        best =
            best.or(
                new Bound(
                    rounds * planProblem.limits().millis(limit),
                    "rate of %s: %d instances, %s"
                        .formatted(
                            whose(planProblem, limit),
                            takes[limit],
                            planProblem.limits().rule(limit))));
      }
    }
    return best;
  }

  /** Each domain is in flight at least as long as its longest work, so many at once. */
  private static Bound domains(PlanProblem planProblem) {
    Map<Integer, Long> longest = new HashMap<>();
    for (int unit = 0; unit < planProblem.units(); unit++) {
      for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
        int limit = planProblem.rowLimit()[row];
        if (planProblem.limits().kind(limit) == PlanLimits.DOMAIN && !planProblem.isDown(unit)) {
          longest.merge(limit, planProblem.millis()[unit], Math::max);
        }
      }
    }
    Map<Integer, Long> sums = new HashMap<>();
    Bound best = new Bound(0, "");
    for (Map.Entry<Integer, Long> domain : longest.entrySet()) {
      int group = planProblem.limits().group(domain.getKey());
      long sum = sums.merge(group, domain.getValue(), Long::sum);
      int most = planProblem.limits().groupMost(group);
      best =
          best.or(
              new Bound(
                  -Math.floorDiv(-sum, (long) most),
                  "domains of %s: the longest work in each, %s in all ÷ %d in flight at once"
                      .formatted(
                          whose(planProblem, domain.getKey()), PlanTimeFormat.span(sum), most)));
    }
    return best;
  }

  static String whose(PlanProblem planProblem, int limit) {
    int application = planProblem.limits().application(limit);
    return application < 0
        ? "the rollout"
        : "application " + planProblem.fleet().application(application);
  }
}
