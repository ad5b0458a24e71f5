package dev.drydock.impact.plan;

import dev.drydock.impact.core.Calendar;
import dev.drydock.impact.core.CapacityRule;
import dev.drydock.impact.core.DisruptionInterval;
import dev.drydock.impact.core.DisruptionRate;
import dev.drydock.impact.core.Domain;
import dev.drydock.impact.core.MaxDomainsInFlight;
import dev.drydock.impact.core.MinCapacity;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.core.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Turns the rules of each application into limits, when the first unit asks. The meaning of the
 * rules is that of {@code impact.core}; here is only what they come to when everything else is up.
 */
final class RuleLimits {
  private static final int STOP = 1 << 28;

  /** So that a few of these can be added up. */
  private static final int UNITS_MOST = 1 << 29;

  private final CompactFleet fleet;
  private final Policies policies;
  private final PlanLimits planLimits;
  private final OfApplication[] known;
  private final Map<Calendar, Integer> calendars = new HashMap<>();
  private final Map<Long, Integer> domains = new HashMap<>();
  private final Map<Integer, Integer> stops = new HashMap<>();
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Set<String> assumed = new TreeSet<>();

  RuleLimits(CompactFleet fleet, Policies policies, PlanLimits planLimits) {
    this.fleet = fleet;
    this.policies = policies;
    this.planLimits = planLimits;
    this.known = new OfApplication[fleet.applicationCount()];
  }

  /**
   * The limits of one application.
   *
   * @param plain take every instance alike
   * @param weighted take each instance by its capacity
   * @param calendars have to be open
   * @param domains count by zone or label
   * @param intervalMillis least time between two disruptions of an instance
   * @param missing instances that should exist and are not allocated
   * @param unruled why nothing of it may go down before its rules are known; empty when they are
   */
  record OfApplication(
      int[] plain,
      int[] weighted,
      List<Integer> calendars,
      List<Counted> domains,
      long intervalMillis,
      int missing,
      String unruled) {}

  /** A rule that counts domains, and the group its domains are in. */
  record Counted(MaxDomainsInFlight rule, int group) {}

  List<String> assumed() {
    return List.copyOf(assumed);
  }

  OfApplication of(int application) {
    OfApplication limitsOf = known[application];
    if (limitsOf == null) {
      limitsOf = made(application);
      known[application] = limitsOf;
    }
    return limitsOf;
  }

  /** A limit that all of the application takes of, so that who takes all of it stops the others. */
  int stop(int application, String why) {
    return stops.computeIfAbsent(
        application,
        _ -> {
          int stop = planLimits.capacity(application, why, STOP);
          OfApplication before = of(application);
          int[] plain = Arrays.copyOf(before.plain(), before.plain().length + 1);
          plain[before.plain().length] = stop;
          known[application] =
              new OfApplication(
                  plain,
                  before.weighted(),
                  before.calendars(),
                  before.domains(),
                  before.intervalMillis(),
                  before.missing(),
                  before.unruled());
          return stop;
        });
  }

  private OfApplication made(int application) {
    String name = fleet.application(application);
    String unreadable = policies.unreadable().get(name);
    if (unreadable != null) {
      return nothing("the policy of application %s cannot be read: %s".formatted(name, unreadable));
    }
    Optional<Policy> policy = policies.of(name);
    return policy.isEmpty()
        ? nothing("application %s has no policy: its team has to apply one first".formatted(name))
        : made(application, policy.get());
  }

  private static OfApplication nothing(String unruled) {
    return new OfApplication(new int[0], new int[0], List.of(), List.of(), 0, 0, unruled);
  }

  private OfApplication made(int application, Policy policy) {
    int allocated = fleet.allocated(application);
    long units = fleet.allocatedCapacity(application);
    boolean weighed = policy.rules().stream().anyMatch(MinCapacity.class::isInstance);
    if (weighed && units > UNITS_MOST) {
      return nothing(
          "application %s has %d units of capacity, and a plan counts to %d: state them in larger units"
              .formatted(fleet.application(application), units, UNITS_MOST));
    }
    int desired = policy.desired().instances(allocated);
    List<Integer> plain = new ArrayList<>();
    List<Integer> weighted = new ArrayList<>();
    List<Integer> open = new ArrayList<>();
    List<Counted> counted = new ArrayList<>();
    int least = Integer.MAX_VALUE;
    String strictest = "";
    long interval = 0;
    for (Rule rule : policy.rules()) {
      String shown = rule + " (policy " + policy.name() + ")";
      switch (rule) {
        case CapacityRule capacity -> {
          int most = allocated - capacity.required(desired);
          if (most < least) {
            least = most;
            strictest = shown;
          }
        }
        case MinCapacity capacity ->
            weighted.add(
                planLimits.units(application, shown, (int) (units - capacity.required(units))));
        case MaxDomainsInFlight max ->
            counted.add(new Counted(max, planLimits.newGroup(max.max())));
        case DisruptionRate rate ->
            plain.add(
                planLimits.rate(application, shown, rate.max().of(desired), rate.per().toMillis()));
        case Calendar calendar ->
            open.add(
                calendars.computeIfAbsent(
                    calendar, _ -> planLimits.calendar(application, calendar)));
        // A plan takes no host twice: only what was taken before it has to wait.
        case DisruptionInterval rare -> interval = Math.max(interval, rare.least().toMillis());
        default ->
            assumed.add("application %s: %s".formatted(fleet.application(application), rule));
      }
    }
    if (least < Integer.MAX_VALUE) {
      plain.addFirst(planLimits.capacity(application, strictest, least));
    }
    return new OfApplication(
        plain.stream().mapToInt(limit -> limit).toArray(),
        weighted.stream().mapToInt(limit -> limit).toArray(),
        open,
        counted,
        interval,
        Math.max(0, desired - allocated),
        "");
  }

  /** The limit that stands for the domain of an instance; empty when nobody told which it is. */
  Optional<Integer> domain(Counted counted, int application, int host, int zone) {
    String name =
        switch (counted.rule().domain()) {
          case Domain.Zone() -> zone < 0 ? "" : fleet.zone(zone);
          case Domain.Label(String key) -> fleet.label(key, host).orElse("");
        };
    if (name.isEmpty()) {
      return Optional.empty();
    }
    int number = numbers.computeIfAbsent(name, _ -> numbers.size());
    return Optional.of(
        domains.computeIfAbsent(
            (long) counted.group() << 32 | number,
            _ -> planLimits.domain(application, counted.rule() + ", " + name, counted.group())));
  }
}
