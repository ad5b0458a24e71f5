package dev.drydock.impact.plan;

import java.util.HashMap;
import java.util.Map;

/**
 * Times before which no plan can end: the best of several formulas. Work that is down already does
 * not count, which keeps them true.
 */
final class Bounds {
  private Bounds() {}

  static Bound of(Work work, Budget budget) {
    Bound best = longest(work).or(serviceWork(work)).or(rates(work)).or(domains(work));
    return best.or(CliqueBound.of(work, best, budget));
  }

  private static Bound longest(Work work) {
    long longest = 0;
    for (int unit = 0; unit < work.units(); unit++) {
      longest = Math.max(longest, work.isDown(unit) ? 0 : work.millis()[unit]);
    }
    return new Bound(longest, "the longest work on one host or batch");
  }

  /** Host time of an application's instances, shared out among those that may be down at once. */
  private static Bound serviceWork(Work work) {
    double[] load = Orders.load(work);
    Bound best = new Bound(0, "nothing to do");
    for (int limit = 0; limit < load.length; limit++) {
      if (work.limits().kind(limit) == Limits.CAPACITY && load[limit] > 0) {
        int most = work.limits().most(limit);
        long millis = (long) Math.ceil(load[limit] / most);
        if (millis > best.millis()) {
          best =
              new Bound(
                  millis,
                  "service work of %s: %s of its %s ÷ %d down at once (%s)"
                      .formatted(
                          whose(work, limit),
                          Texts.span((long) load[limit]),
                          work.limits().inUnits(limit) ? "units of capacity" : "instances",
                          most,
                          work.limits().rule(limit)));
        }
      }
    }
    return best;
  }

  /** After each full share of the rate its time has to pass. */
  private static Bound rates(Work work) {
    long[] takes = new long[work.limits().size()];
    for (int unit = 0; unit < work.units(); unit++) {
      for (int row = work.rowFirst()[unit]; row < work.rowFirst()[unit + 1]; row++) {
        takes[work.rowLimit()[row]] += work.isDown(unit) ? 0 : work.rowTakes()[row];
      }
    }
    Bound best = new Bound(0, "");
    for (int limit = 0; limit < takes.length; limit++) {
      if (work.limits().kind(limit) == Limits.RATE && takes[limit] > 0) {
        long rounds = (takes[limit] - 1) / work.limits().most(limit);
        best =
            best.or(
                new Bound(
                    rounds * work.limits().millis(limit),
                    "rate of %s: %d instances, %s"
                        .formatted(whose(work, limit), takes[limit], work.limits().rule(limit))));
      }
    }
    return best;
  }

  /** Each domain is in flight at least as long as its longest work, so many at once. */
  private static Bound domains(Work work) {
    Map<Integer, Long> longest = new HashMap<>();
    for (int unit = 0; unit < work.units(); unit++) {
      for (int row = work.rowFirst()[unit]; row < work.rowFirst()[unit + 1]; row++) {
        int limit = work.rowLimit()[row];
        if (work.limits().kind(limit) == Limits.DOMAIN && !work.isDown(unit)) {
          longest.merge(limit, work.millis()[unit], Math::max);
        }
      }
    }
    Map<Integer, Long> sums = new HashMap<>();
    Bound best = new Bound(0, "");
    for (Map.Entry<Integer, Long> domain : longest.entrySet()) {
      int group = work.limits().group(domain.getKey());
      long sum = sums.merge(group, domain.getValue(), Long::sum);
      int most = work.limits().groupMost(group);
      best =
          best.or(
              new Bound(
                  -Math.floorDiv(-sum, (long) most),
                  "domains of %s: the longest work in each, %s in all ÷ %d in flight at once"
                      .formatted(whose(work, domain.getKey()), Texts.span(sum), most)));
    }
    return best;
  }

  static String whose(Work work, int limit) {
    int application = work.limits().application(limit);
    return application < 0 ? "the rollout" : "application " + work.fleet().application(application);
  }
}
