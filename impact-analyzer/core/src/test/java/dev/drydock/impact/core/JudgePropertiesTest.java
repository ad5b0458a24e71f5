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

  static Verdict judge(RandomFleet randomFleet) {
    return Judge.judge(randomFleet.fleet(), randomFleet.policiesInForce(), randomFleet.request());
  }

  private static String disagreement(RandomFleet randomFleet, Predicate<RandomFleet> grants) {
    return grants.test(randomFleet) == BruteForce.grants(randomFleet)
        ? ""
        : "judge %s, checker %s"
            .formatted(grants.test(randomFleet), BruteForce.grants(randomFleet));
  }

  @Test
  void agreesWithTheChecker() {
    Properties.check(
        RandomFleet::random, RandomFleet::smaller, w -> disagreement(w, x -> judge(x).granted()));
  }

  @Test
  void countsAsTheCheckerCounts() {
    Properties.check(RandomFleet::random, RandomFleet::smaller, JudgePropertiesTest::wrongNumbers);
  }

  private static String wrongNumbers(RandomFleet randomFleet) {
    Map<String, Policy> policies = randomFleet.policiesInForce().byApplication();
    for (Verdict.Finding f : judge(randomFleet).findings()) {
      Policy policy = policies.get(f.application());
      if (policy != null
          && f.up() != BruteForce.up(randomFleet, policy, f.application(), randomFleet.held())) {
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
        RandomFleet::random,
        RandomFleet::smaller,
        w -> grantedByMoreHeld(w, x -> judge(x).granted()));
  }

  /**
   * Beside what is held, every other host in turn: holding all of them would grant nothing ever.
   */
  private static String grantedByMoreHeld(RandomFleet randomFleet, Predicate<RandomFleet> grants) {
    if (grants.test(randomFleet)) {
      return "";
    }
    return randomFleet.hosts().stream()
        .map(FleetHost::name)
        .filter(host -> !randomFleet.held().contains(host))
        .filter(host -> grants.test(randomFleet.withHeld(plus(randomFleet.held(), host))))
        .findFirst()
        .map(host -> "granted only because " + host + " is held as well")
        .orElse("");
  }

  private static Set<String> plus(Set<String> hosts, String host) {
    return Stream.concat(hosts.stream(), Stream.of(host)).collect(Collectors.toSet());
  }

  /** Held hosts taken for hosts that are out of the count altogether. */
  private static boolean lowersDesiredByHeldHosts(RandomFleet randomFleet) {
    return judge(
            PlantedBug.mapPolicies(
                randomFleet,
                p -> {
                  long held =
                      randomFleet.fleet().allocatedTo(p.applications().getFirst()).stream()
                          .filter(i -> randomFleet.held().contains(i.host()))
                          .count();
                  int allocated =
                      randomFleet.fleet().allocatedTo(p.applications().getFirst()).size();
                  return PlantedBug.with(
                      p, p.rules(), new DesiredInstances.Exactly(allocated - (int) held));
                }))
        .granted();
  }

  @Test
  void theComparisonWithOneMoreHeldCatchesAJudgeThatForgetsHeldHosts() {
    assertThat(
            Properties.caught(
                RandomFleet::random,
                RandomFleet::smaller,
                w -> grantedByMoreHeld(w, JudgePropertiesTest::lowersDesiredByHeldHosts)))
        .contains("granted only because");
  }

  @Test
  void refusesOnlyWhatHealthyHostsCouldNotChange() {
    Properties.check(
        RandomFleet::random,
        RandomFleet::smaller,
        randomFleet -> {
          boolean refused = judge(randomFleet).decision() == Decision.REFUSE;
          return refused && judge(allUp(randomFleet)).granted()
              ? "refused, but would be granted"
              : "";
        });
  }

  private static RandomFleet allUp(RandomFleet randomFleet) {
    SourceReport fresh = new SourceReport(99, RandomFleet.NOW);
    Map<String, SourceReport> reports = Map.of("s0", fresh, "s1", fresh);
    return PlantedBug.mapInstances(
            randomFleet,
            i ->
                new FleetInstance(
                    i.id(),
                    i.application(),
                    i.host(),
                    i.zone(),
                    i.capacity(),
                    Health.HEALTHY,
                    99,
                    RandomFleet.NOW,
                    i.vanished()))
        .withReports(reports)
        .withHeld(Set.of())
        .withDisruptions(List.of());
  }

  @ParameterizedTest
  @MethodSource("dev.drydock.impact.core.PlantedBug#all")
  void theCheckerCatches(PlantedBug bug) {
    assertThat(
            Properties.caught(
                RandomFleet::random, RandomFleet::smaller, w -> disagreement(w, bug.grants())))
        .contains("-Dprop.seed=");
  }

  @Test
  void grantsAndDenialsBothOccurOften() {
    int[] grants = new int[1];
    int[] all = new int[1];
    Properties.check(
        RandomFleet::random,
        RandomFleet::smaller,
        randomFleet -> {
          grants[0] +=
              judge(randomFleet).granted() && !judge(randomFleet).findings().isEmpty() ? 1 : 0;
          all[0]++;
          return "";
        });
    assertThat(grants[0]).isBetween(all[0] / 50, all[0] * 9 / 10);
  }
}
