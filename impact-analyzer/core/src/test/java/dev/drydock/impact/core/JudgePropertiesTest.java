package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.Verdict.Decision;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The judge against an independent checker; the planted bugs show that the checker would notice.
 */
class JudgePropertiesTest {

  private static Verdict judge(World world) {
    return Judge.judge(world.fleet(), world.policiesInForce(), world.request());
  }

  private static String disagreement(World world, Predicate<World> grants) {
    return grants.test(world) == BruteForce.grants(world)
        ? ""
        : "judge %s, checker %s".formatted(grants.test(world), BruteForce.grants(world));
  }

  @Test
  void agreesWithTheChecker() {
    Properties.check(World::random, World::smaller, w -> disagreement(w, x -> judge(x).granted()));
  }

  @Test
  void countsAsTheCheckerCounts() {
    Properties.check(World::random, World::smaller, JudgePropertiesTest::wrongNumbers);
  }

  private static String wrongNumbers(World world) {
    Map<String, Policy> policies = world.policiesInForce().byApplication();
    for (Verdict.Finding f : judge(world).findings()) {
      Policy policy = policies.get(f.application());
      if (policy != null && f.up() != BruteForce.up(world, policy, f.application(), world.held())) {
        return "up of " + f;
      }
      if (f.allows() && f.up() - f.taken() < f.required()) {
        return "allows too much: " + f;
      }
    }
    return "";
  }

  @Test
  void neverGrantsMoreWhenMoreIsHeld() {
    checkHeld(world -> judge(world).granted());
  }

  /**
   * Beside what is held, every other host in turn: holding all of them would grant nothing ever.
   */
  private static void checkHeld(Predicate<World> grants) {
    Properties.check(
        World::random,
        World::smaller,
        world -> {
          if (grants.test(world)) {
            return "";
          }
          return world.hosts().stream()
              .map(FleetHost::name)
              .filter(host -> !world.held().contains(host))
              .filter(host -> grants.test(world.withHeld(plus(world.held(), host))))
              .findFirst()
              .map(host -> "granted only because " + host + " is held as well")
              .orElse("");
        });
  }

  private static Set<String> plus(Set<String> hosts, String host) {
    return Stream.concat(hosts.stream(), Stream.of(host)).collect(Collectors.toSet());
  }

  /** Held hosts taken for hosts that are out of the count altogether. */
  private static boolean lowersDesiredByHeldHosts(World world) {
    return judge(
            mapPolicies(
                world,
                p -> {
                  long held =
                      world.fleet().allocatedTo(p.applications().getFirst()).stream()
                          .filter(i -> world.held().contains(i.host()))
                          .count();
                  int allocated = world.fleet().allocatedTo(p.applications().getFirst()).size();
                  return with(p, p.rules(), new Desired.Exactly(allocated - (int) held));
                }))
        .granted();
  }

  @Test
  void theComparisonWithOneMoreHeldCatchesAJudgeThatForgetsHeldHosts() {
    assertThatThrownBy(() -> checkHeld(JudgePropertiesTest::lowersDesiredByHeldHosts))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("granted only because");
  }

  @Test
  void refusesOnlyWhatHealthyHostsCouldNotChange() {
    Properties.check(
        World::random,
        World::smaller,
        world -> {
          boolean refused = judge(world).decision() == Decision.REFUSE;
          return refused && judge(allUp(world)).granted() ? "refused, but would be granted" : "";
        });
  }

  private static World allUp(World world) {
    SourceReport fresh = new SourceReport(99, World.NOW);
    Map<String, SourceReport> reports = Map.of("s0", fresh, "s1", fresh);
    return mapInstances(
            world,
            i ->
                new Instance(
                    i.id(), i.application(), i.host(), Health.HEALTHY, 99, World.NOW, i.vanished()))
        .withReports(reports)
        .withHeld(Set.of());
  }

  static Stream<PlantedBug> plantedBugs() {
    return Stream.of(
        new PlantedBug("percentages round up", w -> judge(roundingUp(w)).granted()),
        new PlantedBug("stale observations count", w -> judge(neverStale(w)).granted()),
        new PlantedBug("observations from the future count", w -> judge(noFuture(w)).granted()),
        new PlantedBug("a source ahead of time is believed", w -> judge(inTime(w)).granted()),
        new PlantedBug("a silent source is believed", w -> judge(reporting(w)).granted()),
        new PlantedBug("a held host is taken again", JudgePropertiesTest::takesHeldHostsAgain),
        new PlantedBug("older than the last effect counts", w -> judge(noEffects(w)).granted()),
        new PlantedBug("locks do not count", w -> judge(w.withHeld(Set.of())).granted()),
        new PlantedBug("only the last rule counts", w -> judge(lastRule(w)).granted()),
        new PlantedBug("desired is what is up", w -> judge(desiredFromUp(w)).granted()));
  }

  /**
   * A judge with a mistake, mostly made by giving the right one the world the mistake would see.
   */
  record PlantedBug(String name, Predicate<World> grants) {
    @Override
    public String toString() {
      return name;
    }
  }

  @ParameterizedTest
  @MethodSource("plantedBugs")
  void theCheckerCatches(PlantedBug bug) {
    assertThatThrownBy(
            () ->
                Properties.check(World::random, World::smaller, w -> disagreement(w, bug.grants())))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("-Dprop.seed=");
  }

  @Test
  void grantsAndDenialsBothOccurOften() {
    int[] grants = new int[1];
    int[] all = new int[1];
    Properties.check(
        World::random,
        World::smaller,
        world -> {
          grants[0] += judge(world).granted() && !judge(world).findings().isEmpty() ? 1 : 0;
          all[0]++;
          return "";
        });
    assertThat(grants[0]).isBetween(all[0] / 50, all[0] * 9 / 10);
  }

  private static World mapInstances(World world, UnaryOperator<Instance> change) {
    return world.withInstances(world.instances().stream().map(change).toList());
  }

  private static World neverStale(World world) {
    return mapInstances(
        world,
        i ->
            new Instance(
                i.id(), i.application(), i.host(), i.health(), i.mark(), World.NOW, i.vanished()));
  }

  private static World noFuture(World world) {
    return mapInstances(
        world,
        i ->
            new Instance(
                i.id(),
                i.application(),
                i.host(),
                i.health(),
                i.mark(),
                notAfterNow(i.observedAt()),
                i.vanished()));
  }

  private static World inTime(World world) {
    Map<String, SourceReport> reports = new HashMap<>(world.reports());
    reports.replaceAll((_, report) -> new SourceReport(report.mark(), notAfterNow(report.at())));
    return world.withReports(reports);
  }

  private static Instant notAfterNow(Instant then) {
    return then.isAfter(World.NOW) ? World.NOW : then;
  }

  private static World reporting(World world) {
    Map<String, SourceReport> reports = new HashMap<>(world.reports());
    reports.replaceAll((_, report) -> new SourceReport(report.mark(), World.NOW));
    return world.withReports(reports);
  }

  private static World noEffects(World world) {
    return world.withHosts(
        world.hosts().stream()
            .map(h -> new FleetHost(h.name(), h.source(), h.vanished(), 0))
            .toList());
  }

  private static World mapPolicies(World world, Function<Policy, Policy> change) {
    return world.withPolicies(world.policies().stream().map(change).toList());
  }

  private static Policy with(Policy p, List<Rule> rules, Desired desired) {
    return new Policy(
        p.name(),
        p.version(),
        p.team(),
        p.applications(),
        rules,
        desired,
        p.healthAgeMax(),
        p.drainTimeout());
  }

  private static World lastRule(World world) {
    return mapPolicies(world, p -> with(p, List.of(p.rules().getLast()), p.desired()));
  }

  private static World desiredFromUp(World world) {
    return mapPolicies(
        world,
        p -> {
          int up = BruteForce.up(world, p, p.applications().getFirst(), world.held());
          return with(p, p.rules(), new Desired.Exactly(up));
        });
  }

  private static World roundingUp(World world) {
    return mapPolicies(
        world,
        p -> {
          String application = p.applications().getFirst();
          int desired = p.desired().instances(world.fleet().allocatedTo(application).size());
          List<Rule> rules = p.rules().stream().map(rule -> roundedUp(rule, desired)).toList();
          return with(p, rules, p.desired());
        });
  }

  private static Rule roundedUp(Rule rule, int desired) {
    return rule instanceof Rule.MaxUnavailable(Amount.Percent share)
        ? new Rule.MaxUnavailable(
            new Amount.Count((int) Math.ceil(desired * share.percent() / 100.0)))
        : rule;
  }

  private static boolean takesHeldHostsAgain(World world) {
    Verdict verdict = judge(world);
    return verdict.granted()
        && verdict.findings().stream()
            .allMatch(
                f -> {
                  long onHosts =
                      world.fleet().allocatedTo(f.application()).stream()
                          .filter(i -> world.requested().contains(i.host()))
                          .count();
                  return f.up() - onHosts >= f.required();
                });
  }
}
