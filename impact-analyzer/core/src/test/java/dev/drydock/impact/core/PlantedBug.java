package dev.drydock.impact.core;

import static dev.drydock.impact.core.JudgePropertiesTest.judge;

import dev.drydock.lock.core.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A judge with a mistake, mostly made by giving the right one the world the mistake would see. */
record PlantedBug(String name, Predicate<RandomFleet> grants) {
  @Override
  public String toString() {
    return name;
  }

  static Stream<PlantedBug> all() {
    return Stream.of(
        new PlantedBug("percentages round up", w -> judge(roundingUp(w)).granted()),
        new PlantedBug("stale observations count", w -> judge(neverStale(w)).granted()),
        new PlantedBug("observations from the future count", w -> judge(noFuture(w)).granted()),
        new PlantedBug("a source ahead of time is believed", w -> judge(inTime(w)).granted()),
        new PlantedBug("a silent source is believed", w -> judge(reporting(w)).granted()),
        new PlantedBug("a held host is taken again", PlantedBug::takesHeldHostsAgain),
        new PlantedBug("older than the last effect counts", w -> judge(noEffects(w)).granted()),
        new PlantedBug("locks do not count", w -> judge(w.withHeld(Set.of())).granted()),
        new PlantedBug("only the last rule counts", w -> judge(lastRule(w)).granted()),
        new PlantedBug("desired is what is up", w -> judge(desiredFromUp(w)).granted()),
        dropped("maxUnavailable", MaxUnavailable.class),
        dropped("minAvailable", MinAvailable.class),
        dropped("minAvailable in units", MinCapacity.class),
        new PlantedBug("every instance weighs the same", w -> judge(weightless(w)).granted()),
        rule("what is taken is counted by instances", PlantedBug::takingInstances),
        new PlantedBug(
            "a share of the capacity rounds down", w -> judge(roundingDown(w)).granted()),
        dropped("domains in flight", MaxDomainsInFlight.class),
        dropped("disruption interval", DisruptionInterval.class),
        dropped("disruption rate", DisruptionRate.class),
        dropped("windows and blackouts", Calendar.class),
        new PlantedBug("what is down keeps no zone in flight", w -> judge(oneZone(w)).granted()),
        new PlantedBug("no label is a domain like any", w -> judge(labelled(w)).granted()),
        rule("one domain too many", PlantedBug::oneMoreDomain),
        rule("an hour less between disruptions", PlantedBug::shorterInterval),
        rule("disruptions forgotten early", PlantedBug::shorterMemory),
        new PlantedBug("its own opening counts again", w -> judge(noneOngoing(w)).granted()),
        new PlantedBug("held hosts are disrupted already", w -> judge(allOngoing(w)).granted()),
        new PlantedBug("what is down is taken down", w -> judge(unhealthyUnknown(w)).granted()),
        new PlantedBug("unknown is down already", w -> judge(unknownUnhealthy(w)).granted()),
        dropped("gates", Gate.class),
        new PlantedBug("gates open once stay open", w -> judge(gatesNow(w)).granted()),
        new PlantedBug("an unknown gate is open", w -> judge(gatesOpen(w)).granted()),
        rule("no start-by", PlantedBug::withoutStartBy),
        rule("blackouts ignored", PlantedBug::withoutBlackouts),
        rule("windows in UTC", PlantedBug::inUtc),
        rule("windows end at midnight", PlantedBug::cutAtMidnight));
  }

  private static PlantedBug dropped(String name, Class<? extends Rule> kind) {
    return new PlantedBug(
        name + " does not count",
        w ->
            judge(
                    mapPolicies(
                        w,
                        p -> {
                          List<Rule> kept =
                              p.rules().stream().filter(rule -> !kind.isInstance(rule)).toList();
                          return with(
                              p, kept.isEmpty() ? List.of(new MinAvailable(0)) : kept, p.desired());
                        }))
                .granted());
  }

  private static PlantedBug rule(String name, UnaryOperator<Rule> mistake) {
    return new PlantedBug(
        name,
        w ->
            judge(
                    mapPolicies(
                        w, p -> with(p, p.rules().stream().map(mistake).toList(), p.desired())))
                .granted());
  }

  static RandomFleet mapInstances(RandomFleet randomFleet, UnaryOperator<FleetInstance> change) {
    return randomFleet.withInstances(randomFleet.instances().stream().map(change).toList());
  }

  private static RandomFleet neverStale(RandomFleet randomFleet) {
    return mapInstances(
        randomFleet,
        i ->
            new FleetInstance(
                i.id(),
                i.application(),
                i.host(),
                i.zone(),
                i.capacity(),
                i.health(),
                i.mark(),
                RandomFleet.NOW,
                i.vanished()));
  }

  private static RandomFleet unhealthyUnknown(RandomFleet randomFleet) {
    return mapInstances(randomFleet, i -> saying(i, Health.UNHEALTHY, Health.UNKNOWN));
  }

  private static RandomFleet unknownUnhealthy(RandomFleet randomFleet) {
    return mapInstances(randomFleet, i -> saying(i, Health.UNKNOWN, Health.UNHEALTHY));
  }

  private static FleetInstance saying(FleetInstance i, Health instead, Health health) {
    return new FleetInstance(
        i.id(),
        i.application(),
        i.host(),
        i.zone(),
        i.capacity(),
        i.health() == instead ? health : i.health(),
        i.mark(),
        i.observedAt(),
        i.vanished());
  }

  private static RandomFleet gatesNow(RandomFleet randomFleet) {
    return mapGates(
        randomFleet,
        reading ->
            reading instanceof GateReading.Holds
                ? new GateReading.Holds(RandomFleet.NOW)
                : reading);
  }

  private static RandomFleet gatesOpen(RandomFleet randomFleet) {
    return mapGates(
        randomFleet,
        reading ->
            reading instanceof GateReading.Unknown
                ? new GateReading.Holds(RandomFleet.NOW)
                : reading);
  }

  private static RandomFleet mapGates(RandomFleet randomFleet, UnaryOperator<GateReading> change) {
    Map<Gate, GateReading> gates = new HashMap<>(randomFleet.outside().gates());
    gates.replaceAll((_, reading) -> change.apply(reading));
    return randomFleet.withGates(gates);
  }

  private static RandomFleet noFuture(RandomFleet randomFleet) {
    return mapInstances(
        randomFleet,
        i ->
            new FleetInstance(
                i.id(),
                i.application(),
                i.host(),
                i.zone(),
                i.capacity(),
                i.health(),
                i.mark(),
                notAfterNow(i.observedAt()),
                i.vanished()));
  }

  private static RandomFleet inTime(RandomFleet randomFleet) {
    Map<String, SourceReport> reports = new HashMap<>(randomFleet.reports());
    reports.replaceAll((_, report) -> new SourceReport(report.mark(), notAfterNow(report.at())));
    return randomFleet.withReports(reports);
  }

  private static Instant notAfterNow(Instant then) {
    return then.isAfter(RandomFleet.NOW) ? RandomFleet.NOW : then;
  }

  private static RandomFleet reporting(RandomFleet randomFleet) {
    Map<String, SourceReport> reports = new HashMap<>(randomFleet.reports());
    reports.replaceAll((_, report) -> new SourceReport(report.mark(), RandomFleet.NOW));
    return randomFleet.withReports(reports);
  }

  private static RandomFleet noEffects(RandomFleet randomFleet) {
    return randomFleet.withHosts(
        randomFleet.hosts().stream()
            .map(h -> new FleetHost(h.name(), h.source(), h.vanished(), 0, h.labels(), h.inBatch()))
            .toList());
  }

  /** All that is down in the zone of something taken. */
  private static RandomFleet oneZone(RandomFleet randomFleet) {
    return mapInstances(
        randomFleet, i -> randomFleet.requested().contains(i.host()) ? i : inZone(i, "z0"));
  }

  private static FleetInstance inZone(FleetInstance i, String zone) {
    return new FleetInstance(
        i.id(),
        i.application(),
        i.host(),
        zone,
        i.capacity(),
        i.health(),
        i.mark(),
        i.observedAt(),
        i.vanished());
  }

  private static RandomFleet weightless(RandomFleet randomFleet) {
    return mapInstances(randomFleet, i -> weighing(i, 1));
  }

  private static FleetInstance weighing(FleetInstance i, int capacity) {
    return new FleetInstance(
        i.id(),
        i.application(),
        i.host(),
        i.zone(),
        capacity,
        i.health(),
        i.mark(),
        i.observedAt(),
        i.vanished());
  }

  /** What is up weighs what it weighs, and what goes down counts one each. */
  private record TakingInstances(MinCapacity right) implements Rule {
    @Override
    public RuleResult judge(ApplicationState state) {
      long all = state.allocated().stream().mapToLong(FleetInstance::capacity).sum();
      long down = state.notUp().keySet().stream().mapToLong(FleetInstance::capacity).sum();
      return RuleResult.of(all - down - state.taken() >= right.required(all), "");
    }

    @Override
    public Optional<String> never(ApplicationState state) {
      return Optional.empty();
    }
  }

  private static Rule takingInstances(Rule rule) {
    return rule instanceof MinCapacity right ? new TakingInstances(right) : rule;
  }

  private static RandomFleet roundingDown(RandomFleet randomFleet) {
    return mapPolicies(
        randomFleet,
        p -> {
          long all =
              randomFleet.fleet().allocatedTo(p.applications().getFirst()).stream()
                  .mapToLong(FleetInstance::capacity)
                  .sum();
          List<Rule> rules = p.rules().stream().map(rule -> roundedDown(rule, all)).toList();
          return with(p, rules, p.desired());
        });
  }

  private static Rule roundedDown(Rule rule, long all) {
    return rule instanceof MinCapacity(Amount.Percent share)
        ? new MinCapacity(new Amount.Count((int) (all * share.percent() / 100)))
        : rule;
  }

  private static RandomFleet labelled(RandomFleet randomFleet) {
    return randomFleet.withHosts(
        randomFleet.hosts().stream()
            .map(
                h ->
                    new FleetHost(
                        h.name(),
                        h.source(),
                        h.vanished(),
                        h.lastEffectMark(),
                        h.labels().isEmpty() ? Map.of("rack", "unlabelled") : h.labels(),
                        h.inBatch()))
            .toList());
  }

  private static RandomFleet noneOngoing(RandomFleet randomFleet) {
    return ongoing(randomFleet, false);
  }

  private static RandomFleet allOngoing(RandomFleet randomFleet) {
    return ongoing(randomFleet, true);
  }

  private static RandomFleet ongoing(RandomFleet randomFleet, boolean all) {
    return randomFleet.withDisruptions(
        randomFleet.disruptions().stream()
            .map(d -> new Disruption(d.instance(), d.application(), d.host(), d.at(), all))
            .toList());
  }

  private static Rule oneMoreDomain(Rule rule) {
    return rule instanceof MaxDomainsInFlight(Domain domain, int max)
        ? new MaxDomainsInFlight(domain, max + 1)
        : rule;
  }

  private static Rule shorterInterval(Rule rule) {
    return rule instanceof DisruptionInterval(Duration least)
        ? new DisruptionInterval(least.minusHours(1))
        : rule;
  }

  private static Rule shorterMemory(Rule rule) {
    return rule instanceof DisruptionRate(Amount max, Duration per)
        ? new DisruptionRate(max, per.minusHours(1))
        : rule;
  }

  private static Rule withoutStartBy(Rule rule) {
    return rule instanceof Calendar calendar
        ? new Calendar(calendar.windows(), calendar.blackouts(), Duration.ZERO)
        : rule;
  }

  private static Rule withoutBlackouts(Rule rule) {
    return rule instanceof Calendar calendar
        ? new Calendar(calendar.windows(), List.of(), calendar.expected())
        : rule;
  }

  private static Rule inUtc(Rule rule) {
    return mapWindows(rule, w -> new WeeklyWindow(ZoneOffset.UTC, w.days(), w.from(), w.to()));
  }

  private static Rule cutAtMidnight(Rule rule) {
    return mapWindows(
        rule,
        w ->
            w.to().isAfter(w.from())
                ? w
                : new WeeklyWindow(w.zone(), w.days(), w.from(), LocalTime.of(23, 59)));
  }

  private static Rule mapWindows(Rule rule, UnaryOperator<WeeklyWindow> change) {
    return rule instanceof Calendar calendar
        ? new Calendar(
            calendar.windows().stream().map(change).toList(),
            calendar.blackouts(),
            calendar.expected())
        : rule;
  }

  static RandomFleet mapPolicies(RandomFleet randomFleet, Function<Policy, Policy> change) {
    return randomFleet.withPolicies(randomFleet.policies().stream().map(change).toList());
  }

  static Policy with(Policy p, List<Rule> rules, DesiredInstances desiredInstances) {
    return new Policy(
        p.name(),
        p.version(),
        p.team(),
        p.applications(),
        rules,
        desiredInstances,
        p.healthAgeMax(),
        p.drainTimeout());
  }

  private static RandomFleet lastRule(RandomFleet randomFleet) {
    return mapPolicies(randomFleet, p -> with(p, List.of(p.rules().getLast()), p.desired()));
  }

  private static RandomFleet desiredFromUp(RandomFleet randomFleet) {
    return mapPolicies(
        randomFleet,
        p -> {
          int up = BruteForce.up(randomFleet, p, p.applications().getFirst(), randomFleet.held());
          return with(p, p.rules(), new DesiredInstances.Exactly(up));
        });
  }

  private static RandomFleet roundingUp(RandomFleet randomFleet) {
    return mapPolicies(
        randomFleet,
        p -> {
          String application = p.applications().getFirst();
          int desiredInstances =
              p.desired().instances(randomFleet.fleet().allocatedTo(application).size());
          List<Rule> rules =
              p.rules().stream().map(rule -> roundedUp(rule, desiredInstances)).toList();
          return with(p, rules, p.desired());
        });
  }

  private static Rule roundedUp(Rule rule, int desiredInstances) {
    return rule instanceof MaxUnavailable(Amount.Percent share)
        ? new MaxUnavailable(
            new Amount.Count((int) Math.ceil(desiredInstances * share.percent() / 100.0)))
        : rule;
  }

  private static boolean takesHeldHostsAgain(RandomFleet randomFleet) {
    Verdict verdict = judge(randomFleet);
    return verdict.granted()
        && verdict.findings().stream()
            .allMatch(
                f -> {
                  long onHosts =
                      randomFleet.fleet().allocatedTo(f.application()).stream()
                          .filter(i -> randomFleet.requested().contains(i.host()))
                          .count();
                  return f.up() - onHosts >= f.required();
                });
  }
}
