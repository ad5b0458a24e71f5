package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.Verdict.Decision;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The judge against an independent checker; the planted bugs show that the checker would notice.
 */
class JudgePropertiesTest {

  static Verdict judge(World world) {
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
    Properties.check(
        World::random, World::smaller, w -> grantedByMoreHeld(w, x -> judge(x).granted()));
  }

  /**
   * Beside what is held, every other host in turn: holding all of them would grant nothing ever.
   */
  private static String grantedByMoreHeld(World world, Predicate<World> grants) {
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
  }

  private static Set<String> plus(Set<String> hosts, String host) {
    return Stream.concat(hosts.stream(), Stream.of(host)).collect(Collectors.toSet());
  }

  /** Held hosts taken for hosts that are out of the count altogether. */
  private static boolean lowersDesiredByHeldHosts(World world) {
    return judge(
            PlantedBug.mapPolicies(
                world,
                p -> {
                  long held =
                      world.fleet().allocatedTo(p.applications().getFirst()).stream()
                          .filter(i -> world.held().contains(i.host()))
                          .count();
                  int allocated = world.fleet().allocatedTo(p.applications().getFirst()).size();
                  return PlantedBug.with(p, p.rules(), new Desired.Exactly(allocated - (int) held));
                }))
        .granted();
  }

  @Test
  void theComparisonWithOneMoreHeldCatchesAJudgeThatForgetsHeldHosts() {
    assertThat(
            Properties.caught(
                World::random,
                World::smaller,
                w -> grantedByMoreHeld(w, JudgePropertiesTest::lowersDesiredByHeldHosts)))
        .contains("granted only because");
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
    return PlantedBug.mapInstances(
            world,
            i ->
                new Instance(
                    i.id(),
                    i.application(),
                    i.host(),
                    i.zone(),
                    i.capacity(),
                    Health.HEALTHY,
                    99,
                    World.NOW,
                    i.vanished()))
        .withReports(reports)
        .withHeld(Set.of())
        .withDisruptions(List.of());
  }

  @ParameterizedTest
  @MethodSource("dev.drydock.impact.core.PlantedBug#all")
  void theCheckerCatches(PlantedBug bug) {
    assertThat(Properties.caught(World::random, World::smaller, w -> disagreement(w, bug.grants())))
        .contains("-Dprop.seed=");
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
}
