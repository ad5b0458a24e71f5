package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.LockTable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A rule with a fault never stops other teams. */
class FailingRuleTest {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  /** Fails whatever it is asked. */
  private record Faulty() implements Rule {
    @Override
    public RuleResult judge(ApplicationState state) {
      throw new ArithmeticException("/ by zero");
    }

    @Override
    public Optional<String> never(ApplicationState state) {
      throw new ArithmeticException("/ by zero");
    }

    @Override
    public String toString() {
      return "faulty 1";
    }
  }

  @Test
  void holdsItsOwnHostsAndNamesPolicyAndRuleWhileAnotherTeamsHostIsGranted() {
    FleetRound round = new FleetRound(fleet(), policies(), Set.of());
    List<GrantorDecision> decisions =
        GrantorPass.decide(
            new GrantorPass.Input(
                new LockTable(0, Map.of(), List.of(), Map.of(), Set.of()),
                Stream.of("web", "ads").map(FailingRuleTest::candidate).toList(),
                List.of(),
                NOW),
            round,
            GrantorPass.Limits.DEFAULT);

    assertThat(decisions)
        .anyMatch(
            decision ->
                decision instanceof GrantorDecision.GrantCandidate grant
                    && grant.candidate().hosts().equals(List.of("ads-host")));
    assertThat(decisions)
        .contains(
            new GrantorDecision.CandidateWaits(
                candidate("web"),
                "application web: faulty 1 (policy web version 3) failed, which is a fault of"
                    + " Drydock: java.lang.ArithmeticException: / by zero"));
  }

  @Test
  void refusesNobodyForGood() {
    List<List<String>> batches = List.of(List.of("web-host"), List.of("ads-host"));
    assertThat(Judge.infeasible(fleet(), policies(), batches)).isEmpty();
  }

  private static Candidate candidate(String application) {
    return new Candidate(
        "r1." + application, "r1", List.of(application + "-host"), "sre", "release 2");
  }

  private static Policies policies() {
    return new Policies(
        Map.of(
            "web", policy("web", new Faulty()),
            "ads", policy("ads", new MaxUnavailable(new Amount.Count(1)))),
        Map.of());
  }

  private static Policy policy(String name, Rule rule) {
    return new Policy(
        name,
        3,
        name,
        List.of(name),
        List.of(rule),
        new DesiredInstances.FromScheduler(),
        Duration.ofSeconds(60),
        Duration.ofMinutes(5));
  }

  private static Fleet fleet() {
    return new Fleet(
        NOW,
        Duration.ofSeconds(30),
        Map.of("static", new SourceReport(10, NOW)),
        Stream.of("web", "ads")
            .map(name -> new FleetHost(name + "-host", "static", false, 10, Map.of(), false))
            .toList(),
        Stream.of("web", "ads")
            .map(
                name ->
                    new FleetInstance(
                        name + "@1", name, name + "-host", "z", 1, Health.HEALTHY, 10, NOW, false))
            .toList(),
        List.of());
  }
}
