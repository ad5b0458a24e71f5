package dev.drydock.impact.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What a schedule means for each application it touches. */
final class Timelines {
  private final PlanProblem planProblem;
  private final Schedule schedule;
  private final long[] begin;
  private final long[] end;
  private final int[] instances;
  private final int[] down;
  private final int[] downMost;

  private Timelines(PlanProblem planProblem, Schedule schedule) {
    this.planProblem = planProblem;
    this.schedule = schedule;
    int applications = planProblem.fleet().applicationCount();
    begin = new long[applications];
    end = new long[applications];
    instances = new int[applications];
    down = new int[applications];
    downMost = new int[applications];
    Arrays.fill(begin, Long.MAX_VALUE);
  }

  static List<Plan.Timeline> of(PlanProblem planProblem, Schedule schedule) {
    return new Timelines(planProblem, schedule).timelines();
  }

  private List<Plan.Timeline> timelines() {
    MomentQueue momentQueue = new MomentQueue();
    for (int unit = 0; unit < planProblem.units(); unit++) {
      if (planProblem.isDown(unit) || schedule.begins()[unit] >= 0) {
        // At one time ends come before beginnings: what is given back may be taken at once.
        momentQueue.add(2 * beginOf(unit) + 1, unit);
        if (endOf(unit) != PlanInput.FOR_GOOD) {
          momentQueue.add(2 * endOf(unit), -1 - unit);
        }
      }
    }
    while (!momentQueue.isEmpty()) {
      int what = momentQueue.remove();
      change(what < 0 ? -1 - what : what, what < 0 ? -1 : 1);
    }
    return collect();
  }

  private long beginOf(int unit) {
    return planProblem.isDown(unit) ? 0 : schedule.begins()[unit];
  }

  private long endOf(int unit) {
    return planProblem.isDown(unit)
        ? planProblem.downUntil()[unit]
        : beginOf(unit) + planProblem.millis()[unit];
  }

  private void change(int unit, int by) {
    for (int h = planProblem.hostFirst()[unit]; h < planProblem.hostFirst()[unit + 1]; h++) {
      int host = planProblem.hosts()[h];
      for (int i = planProblem.fleet().firstInstance(host);
          i < planProblem.fleet().firstInstance(host + 1);
          i++) {
        int application = planProblem.fleet().applicationOf(i);
        down[application] += by;
        downMost[application] = Math.max(downMost[application], down[application]);
        if (by > 0 && !planProblem.isDown(unit)) {
          instances[application]++;
          begin[application] = Math.min(begin[application], beginOf(unit));
          end[application] = Math.max(end[application], endOf(unit));
        }
      }
    }
  }

  private List<Plan.Timeline> collect() {
    Integer[] allowed = new Integer[instances.length];
    for (int limit = 0; limit < planProblem.limits().size(); limit++) {
      int application = planProblem.limits().application(limit);
      boolean ofInstances =
          planProblem.limits().kind(limit) == PlanLimits.CAPACITY
              && !planProblem.limits().inUnits(limit);
      if (application >= 0 && ofInstances) {
        allowed[application] = planProblem.limits().most(limit);
      }
    }
    List<Plan.Timeline> all = new ArrayList<>();
    for (int application = 0; application < instances.length; application++) {
      if (instances[application] > 0) {
        all.add(
            new Plan.Timeline(
                planProblem.fleet().application(application),
                instances[application],
                begin[application],
                end[application],
                downMost[application],
                Optional.ofNullable(allowed[application])));
      }
    }
    all.sort(
        Comparator.comparingLong((Plan.Timeline one) -> -one.endMillis())
            .thenComparing(Plan.Timeline::application));
    return all;
  }
}
