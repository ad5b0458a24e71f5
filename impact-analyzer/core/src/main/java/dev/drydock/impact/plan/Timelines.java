package dev.drydock.impact.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What a schedule means for each application it touches. */
final class Timelines {
  private final Work work;
  private final Schedule schedule;
  private final long[] begin;
  private final long[] end;
  private final int[] instances;
  private final int[] down;
  private final int[] downMost;

  private Timelines(Work work, Schedule schedule) {
    this.work = work;
    this.schedule = schedule;
    int applications = work.fleet().applicationCount();
    begin = new long[applications];
    end = new long[applications];
    instances = new int[applications];
    down = new int[applications];
    downMost = new int[applications];
    Arrays.fill(begin, Long.MAX_VALUE);
  }

  static List<Plan.Timeline> of(Work work, Schedule schedule) {
    return new Timelines(work, schedule).timelines();
  }

  private List<Plan.Timeline> timelines() {
    Moments moments = new Moments();
    for (int unit = 0; unit < work.units(); unit++) {
      if (work.isDown(unit) || schedule.begins()[unit] >= 0) {
        // At one time ends come before beginnings: what is given back may be taken at once.
        moments.add(2 * beginOf(unit) + 1, unit);
        if (endOf(unit) != Situation.FOR_GOOD) {
          moments.add(2 * endOf(unit), -1 - unit);
        }
      }
    }
    while (!moments.isEmpty()) {
      int what = moments.remove();
      change(what < 0 ? -1 - what : what, what < 0 ? -1 : 1);
    }
    return collect();
  }

  private long beginOf(int unit) {
    return work.isDown(unit) ? 0 : schedule.begins()[unit];
  }

  private long endOf(int unit) {
    return work.isDown(unit) ? work.downUntil()[unit] : beginOf(unit) + work.millis()[unit];
  }

  private void change(int unit, int by) {
    for (int h = work.hostFirst()[unit]; h < work.hostFirst()[unit + 1]; h++) {
      int host = work.hosts()[h];
      for (int i = work.fleet().firstInstance(host);
          i < work.fleet().firstInstance(host + 1);
          i++) {
        int application = work.fleet().applicationOf(i);
        down[application] += by;
        downMost[application] = Math.max(downMost[application], down[application]);
        if (by > 0 && !work.isDown(unit)) {
          instances[application]++;
          begin[application] = Math.min(begin[application], beginOf(unit));
          end[application] = Math.max(end[application], endOf(unit));
        }
      }
    }
  }

  private List<Plan.Timeline> collect() {
    Integer[] allowed = new Integer[instances.length];
    for (int limit = 0; limit < work.limits().size(); limit++) {
      int application = work.limits().application(limit);
      boolean ofInstances =
          work.limits().kind(limit) == Limits.CAPACITY && !work.limits().inUnits(limit);
      if (application >= 0 && ofInstances) {
        allowed[application] = work.limits().most(limit);
      }
    }
    List<Plan.Timeline> all = new ArrayList<>();
    for (int application = 0; application < instances.length; application++) {
      if (instances[application] > 0) {
        all.add(
            new Plan.Timeline(
                work.fleet().application(application),
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
