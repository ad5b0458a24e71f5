package dev.drydock.impact.plan;

import dev.drydock.impact.core.Calendar;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How much of each limit is taken, and whether a unit fits beside that. The one place that knows
 * what the kinds of limits mean.
 */
final class LimitUsage {
  /** Nothing blocks. */
  static final int FREE = -1;

  private final PlanProblem planProblem;
  private final PlanLimits planLimits;
  private final byte[] kind;
  private final int[] most;
  private final int[] rowFirst;
  private final int[] rowLimit;
  private final int[] rowTakes;
  private final int[] used;
  private final int[] groupUsed;
  private final long[] openKnownAt;
  private final Map<Integer, ArrayDeque<Begun>> begun = new HashMap<>();
  private long now;

  /** Units begun under a rate. */
  private record Begun(long at, int takes) {}

  LimitUsage(PlanProblem planProblem) {
    this.planProblem = planProblem;
    this.planLimits = planProblem.limits();
    this.rowFirst = planProblem.rowFirst();
    this.rowLimit = planProblem.rowLimit();
    this.rowTakes = planProblem.rowTakes();
    int size = planLimits.size();
    kind = new byte[size];
    most = new int[size];
    for (int limit = 0; limit < size; limit++) {
      kind[limit] = planLimits.kind(limit);
      most[limit] = planLimits.most(limit);
    }
    used = new int[size];
    groupUsed = new int[planLimits.groups()];
    openKnownAt = new long[size];
    clear();
  }

  /** As it is when the plan begins. */
  void clear() {
    Arrays.fill(used, 0);
    Arrays.fill(groupUsed, 0);
    Arrays.fill(openKnownAt, -1);
    begun.clear();
    now = 0;
    for (PlanProblem.Past past : planProblem.past()) {
      begin(past.rate(), -past.agoMillis(), 1);
    }
  }

  private void begin(int rate, long at, int takes) {
    used[rate] += takes;
    begun.computeIfAbsent(rate, _ -> new ArrayDeque<>()).add(new Begun(at, takes));
  }

  /** Time only goes on. */
  void at(long millis) {
    now = millis;
  }

  /** The limit that blocks the unit now, or {@link #FREE}. */
  int blocker(int unit) {
    int end = rowFirst[unit + 1];
    int newDomains = 0;
    int group = -1;
    for (int row = rowFirst[unit]; row < end; row++) {
      int limit = rowLimit[row];
      switch (kind[limit]) {
        case PlanLimits.CAPACITY, PlanLimits.RATE -> {
          if (used[limit] + rowTakes[row] > most[limit]) {
            return limit;
          }
        }
        case PlanLimits.DOMAIN -> {
          int of = planLimits.group(limit);
          newDomains = (of == group ? newDomains : 0) + (used[limit] == 0 ? 1 : 0);
          group = of;
          if (groupUsed[of] + newDomains > planLimits.groupMost(of)) {
            return limit;
          }
        }
        case PlanLimits.CALENDAR -> {
          if (!isOpen(limit)) {
            return limit;
          }
        }
        default -> {
          if (used[limit] == 0 && rowTakes[row] > 0) {
            return limit;
          }
        }
      }
    }
    return FREE;
  }

  int used(int limit) {
    return used[limit];
  }

  /** Whether a unit that takes least would fit: if not, nobody who waits on it need be asked. */
  boolean admits(int limit) {
    return switch (kind[limit]) {
      case PlanLimits.CAPACITY, PlanLimits.RATE -> used[limit] < most[limit];
      case PlanLimits.DOMAIN ->
          groupUsed[planLimits.group(limit)] + (used[limit] == 0 ? 1 : 0)
              <= planLimits.groupMost(planLimits.group(limit));
      case PlanLimits.CALENDAR -> isOpen(limit);
      default -> used[limit] > 0;
    };
  }

  private boolean isOpen(int calendar) {
    if (openKnownAt[calendar] != now) {
      openKnownAt[calendar] = now;
      Calendar rule = planLimits.calendar(calendar);
      used[calendar] = rule.fits(planProblem.begin().plusMillis(now), rule.expected()) ? 1 : 0;
    }
    return used[calendar] == 1;
  }

  /** The first whole millisecond at which a closed calendar is open; -1 if never. */
  long opens(int calendar) {
    return Calendar.next(
            List.of(planLimits.calendar(calendar)), planProblem.begin().plusMillis(now))
        .map(at -> Duration.between(planProblem.begin(), at).plusNanos(999_999).toMillis())
        .orElse(-1L);
  }

  /** The unit takes what it needs; {@code opened} hears of domains now in flight. */
  void take(int unit, IntList opened, IntList rated) {
    int end = rowFirst[unit + 1];
    for (int row = rowFirst[unit]; row < end; row++) {
      int limit = rowLimit[row];
      switch (kind[limit]) {
        case PlanLimits.CAPACITY -> used[limit] += rowTakes[row];
        case PlanLimits.RATE -> {
          begin(limit, now, rowTakes[row]);
          rated.add(limit);
        }
        case PlanLimits.DOMAIN -> {
          if (used[limit] == 0) {
            groupUsed[planLimits.group(limit)]++;
            opened.add(limit);
          }
          used[limit] += rowTakes[row];
        }
        default -> {}
      }
    }
  }

  /** The unit gives back what it took; {@code freed} hears of the limits, and of closed groups. */
  void give(int unit, IntList freed, IntList closedGroups) {
    int end = rowFirst[unit + 1];
    for (int row = rowFirst[unit]; row < end; row++) {
      int limit = rowLimit[row];
      if (kind[limit] == PlanLimits.CAPACITY) {
        used[limit] -= rowTakes[row];
        freed.add(limit);
      } else if (kind[limit] == PlanLimits.DOMAIN) {
        used[limit] -= rowTakes[row];
        if (used[limit] == 0) {
          groupUsed[planLimits.group(limit)]--;
          closedGroups.add(planLimits.group(limit));
        }
      }
    }
  }

  /** Forgets what began so long ago that the rate does not count it any more. */
  void forget(int rate) {
    ArrayDeque<Begun> all = begun.getOrDefault(rate, new ArrayDeque<>());
    while (!all.isEmpty() && all.getFirst().at() + planLimits.millis(rate) <= now) {
      used[rate] -= all.removeFirst().takes();
    }
  }

  /** As it will be one day: what lasts for good does not count in a rate for good. */
  void forgetAllRates() {
    begun.keySet().forEach(rate -> used[rate] = 0);
    begun.clear();
  }

  void open(int gate) {
    used[gate] = 1;
  }
}
