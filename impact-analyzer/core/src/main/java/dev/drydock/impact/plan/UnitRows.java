package dev.drydock.impact.plan;

import dev.drydock.impact.core.Calendar;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Counts what one unit after the other takes of which limit. One is used for all units, so that
 * nothing is allocated for each.
 */
final class UnitRows {
  private static final int REASONS_MAX = 10;

  private final CompactFleet fleet;
  private final Instant begin;
  private final RuleLimits rules;
  private final PlanLimits planLimits;
  private final Map<Set<Integer>, Boolean> meet = new HashMap<>();
  private final Map<Long, Long> newest = new HashMap<>();
  private final List<PlanProblem.Opening> openings;

  private int[] takes = new int[1024];
  private int[] touched = new int[64];
  private int size;
  private int[] gates = new int[0];
  private long notBefore;
  private final Set<Integer> open = new TreeSet<>();
  private final Set<String> never = new TreeSet<>();
  private final Set<String> now = new TreeSet<>();
  private final Map<Integer, String> missing = new HashMap<>();

  /**
   * For all units of a situation.
   *
   * @param openings hears of gates that open by themselves
   */
  UnitRows(
      PlanInput planInput,
      RuleLimits rules,
      PlanLimits planLimits,
      List<PlanProblem.Opening> openings) {
    for (PriorDisruption past : planInput.past()) {
      newest.merge(place(past.host(), past.application()), past.agoMillis(), Math::min);
    }
    this.openings = openings;
    this.fleet = planInput.fleet();
    this.begin = planInput.begin();
    this.rules = rules;
    this.planLimits = planLimits;
  }

  /**
   * Counts the instances on these hosts; what was counted before is forgotten.
   *
   * @param behind the gates that have to be open, in order
   */
  void count(int[] hosts, int... behind) {
    for (int at = 0; at < size; at++) {
      takes[touched[at]] = 0;
    }
    size = 0;
    gates = behind;
    notBefore = 0;
    open.clear();
    never.clear();
    now.clear();
    missing.clear();
    for (int host : hosts) {
      int end = fleet.firstInstance(host + 1);
      for (int at = fleet.firstInstance(host); at < end; at++) {
        count(host, at);
      }
    }
    sort();
  }

  private void count(int host, int at) {
    int application = fleet.applicationOf(at);
    RuleLimits.OfApplication of = rules.of(application);
    if (!of.unruled().isEmpty()) {
      now.add(of.unruled());
    }
    for (int limit : of.plain()) {
      take(limit, 1);
    }
    for (int limit : of.weighted()) {
      take(limit, fleet.capacityOf(at));
    }
    open.addAll(of.calendars());
    if (of.intervalMillis() > 0 && !newest.isEmpty()) {
      Long ago = newest.get(place(host, application));
      notBefore = ago == null ? notBefore : Math.max(notBefore, of.intervalMillis() - ago);
    }
    for (RuleLimits.Counted counted : of.domains()) {
      Optional<Integer> domain = rules.domain(counted, application, host, fleet.zoneOf(at));
      if (domain.isPresent()) {
        take(domain.get(), 1);
      } else {
        String why =
            "application %s: %s cannot be judged: its instance on host %s has none"
                .formatted(fleet.application(application), counted.rule(), fleet.host(host));
        missing.put(application, why);
        now.add(why);
      }
    }
  }

  /** What was counted is down: an application with a domain that nobody knows stops meanwhile. */
  void stopsWhatIsUnknown() {
    missing.forEach(
        (application, why) -> {
          int stop = rules.stop(application, why);
          take(stop, 1);
          takes[stop] = planLimits.most(stop);
        });
  }

  private void take(int limit, int much) {
    if (limit >= takes.length) {
      takes = Arrays.copyOf(takes, Math.max(limit + 1, 2 * takes.length));
    }
    if (takes[limit] == 0) {
      if (size == touched.length) {
        touched = Arrays.copyOf(touched, 2 * size);
      }
      touched[size++] = limit;
    }
    takes[limit] += much;
  }

  /** By group, so that a unit's domains of one group stand together. */
  private void sort() {
    long[] keys = new long[size];
    for (int at = 0; at < size; at++) {
      int limit = touched[at];
      int group = planLimits.kind(limit) == PlanLimits.DOMAIN ? planLimits.group(limit) + 1 : 0;
      keys[at] = (long) group << 32 | limit;
    }
    Arrays.sort(keys);
    for (int at = 0; at < size; at++) {
      touched[at] = (int) keys[at];
    }
  }

  private static long place(int host, int application) {
    return (long) host << 32 | application;
  }

  void appendTo(IntList rowLimit, IntList rowTakes) {
    for (int at = 0; at < size; at++) {
      rowLimit.add(touched[at]);
      rowTakes.add(takes[touched[at]]);
    }
    for (int calendar : open) {
      rowLimit.add(calendar);
      rowTakes.add(1);
    }
    if (notBefore > 0) {
      int interval = planLimits.gate("an instance that was taken down before may not be yet");
      openings.add(new PlanProblem.Opening(interval, notBefore));
      rowLimit.add(interval);
      rowTakes.add(1);
    }
    for (int gate : gates) {
      rowLimit.add(gate);
      rowTakes.add(1);
    }
  }

  /**
   * What stands against taking them, even with everything up.
   *
   * @param never as things are configured, whatever comes up, ends or passes
   * @param now until more is allocated or told
   */
  record Against(List<String> never, List<String> now) {}

  /** Nothing when they can be planned. */
  Against against(int[] hosts) {
    int domains = 0;
    for (int at = 0; at < size; at++) {
      int limit = touched[at];
      if (planLimits.kind(limit) == PlanLimits.DOMAIN) {
        boolean same =
            at > 0
                && planLimits.kind(touched[at - 1]) == PlanLimits.DOMAIN
                && planLimits.group(touched[at - 1]) == planLimits.group(limit);
        domains = same ? domains + 1 : 1;
        if (domains > planLimits.groupMost(planLimits.group(limit))) {
          never.add("%s: %s takes %d at once".formatted(says(limit), subject(hosts), domains));
        }
      } else if (takes[limit] > planLimits.most(limit)) {
        takesTooMany(limit, hosts);
      }
    }
    if (!open.isEmpty() && !meet.computeIfAbsent(Set.copyOf(open), this::meet)) {
      never.add("the windows of its applications have no time in common in which work could begin");
    }
    return new Against(
        never.stream().limit(REASONS_MAX).toList(), now.stream().limit(REASONS_MAX).toList());
  }

  /**
   * What should exist and is not allocated would make room for as many instances, and for nobody
   * knows how many units.
   */
  private void takesTooMany(int limit, int[] hosts) {
    int missing =
        planLimits.kind(limit) == PlanLimits.CAPACITY
            ? rules.of(planLimits.application(limit)).missing()
            : 0;
    boolean inUnits = planLimits.inUnits(limit);
    String why =
        "%s: %s takes %d%s at once, at most %d may be taken with everything up"
            .formatted(
                says(limit),
                subject(hosts),
                takes[limit],
                inUnits ? " units" : "",
                Math.max(0, planLimits.most(limit)));
    if (inUnits ? missing == 0 : takes[limit] > planLimits.most(limit) + missing) {
      never.add(why);
    } else {
      now.add("%s as long as %d that should exist are not allocated".formatted(why, missing));
    }
  }

  private String says(int limit) {
    return "application %s: %s"
        .formatted(fleet.application(planLimits.application(limit)), planLimits.rule(limit));
  }

  private String subject(int[] hosts) {
    return hosts.length == 1
        ? "host " + fleet.host(hosts[0])
        : "the batch of %d hosts that fault zones join".formatted(hosts.length);
  }

  private boolean meet(Set<Integer> calendars) {
    List<Calendar> all = new ArrayList<>();
    calendars.forEach(limit -> all.add(planLimits.calendar(limit)));
    return Calendar.next(all, begin).isPresent();
  }
}
