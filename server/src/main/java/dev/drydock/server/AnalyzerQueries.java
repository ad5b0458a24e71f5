package dev.drydock.server;

import dev.drydock.api.JobStep;
import dev.drydock.impact.core.CanaryGate;
import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.plan.Plan;
import dev.drydock.impact.service.ImpactAnalyzer;
import dev.drydock.impact.service.PlannedHosts;
import dev.drydock.impact.service.PolicyReader;
import dev.drydock.impact.service.PolicyTerms;
import dev.drydock.orchestrator.PolicyQueries;
import dev.drydock.orchestrator.activity.FailureBudgets.InForce;
import dev.drydock.orchestrator.batch.PoliciesInForce;
import dev.drydock.orchestrator.core.model.BatchHook.Source;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.intake.PlanFacts;
import dev.drydock.orchestrator.intake.Planning;
import dev.drydock.orchestrator.intake.Planning.Outlook;
import dev.drydock.orchestrator.intake.Planning.Planned;
import dev.drydock.orchestrator.intake.PolicyCoverage;
import dev.drydock.orchestrator.store.CanaryGates.Gate;
import dev.drydock.orchestrator.store.ZonePolicy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What rollouts ask, answered by the impact analyzer: neither knows of the other. */
final class AnalyzerQueries {
  private AnalyzerQueries() {}

  static PolicyQueries of(ImpactAnalyzer analyzer) {
    PolicyReader policies = analyzer.policies();
    return new PolicyQueries(
        coverage(policies),
        (hosts, release) -> planned(analyzer.plan(hosts, release)),
        () -> batches(policies.now()),
        zones(analyzer),
        analyzer::notUp,
        () -> failures(policies.now()),
        (phase, applications) -> phase(policies.now(), phase, applications),
        (handle, applications) -> policies.in(handle).healthChecks(applications));
  }

  private static List<InForce> failures(PolicyTerms terms) {
    return terms.failures().stream()
        .map(one -> new InForce(one.policy(), one.version(), one.applications(), one.budget()))
        .toList();
  }

  private static PolicyCoverage coverage(PolicyReader policies) {
    return new PolicyCoverage() {
      @Override
      public Map<String, ? extends Set<String>> applicationsWithoutPolicy(
          Collection<String> hosts) {
        return policies.applicationsWithoutPolicy(hosts);
      }

      @Override
      public Map<String, ? extends Set<String>> forbidding(Collection<String> hosts, String mode) {
        return policies.forbidding(hosts, mode);
      }
    };
  }

  private static PoliciesInForce batches(PolicyTerms terms) {
    return new PoliciesInForce() {
      @Override
      public List<HookPolicy> hooks() {
        return terms.hooks().stream()
            .map(
                one ->
                    new HookPolicy(
                        new Source(one.policy(), one.version(), one.team()),
                        Set.copyOf(one.applications()),
                        one.hooks()))
            .toList();
      }

      @Override
      public Map<String, OnHostFailure> onHostFailure() {
        return terms.onHostFailure();
      }

      @Override
      public DrainTerms drain(Set<String> applications) {
        return terms.drain(applications);
      }

      @Override
      public Ladder ladder(Set<String> applications) {
        return terms.ladder(applications);
      }
    };
  }

  /** An adapter ends a Drain in its time-out; whoever still has it a ninth later does not. */
  private static Optional<Duration> phase(
      PolicyTerms terms, String phase, Set<String> applications) {
    if (!phase.equals(JobStep.Drain.name())) {
      return terms.phaseTimeout(phase.toLowerCase(Locale.ROOT), applications);
    }
    Duration timeout = terms.drain(applications).timeout();
    return Optional.of(timeout.plus(timeout.dividedBy(9)));
  }

  private static ZonePolicy zones(ImpactAnalyzer analyzer) {
    return new ZonePolicy() {
      @Override
      public Set<String> together() {
        return analyzer.policies().now().zonesTogether();
      }

      @Override
      public int most() {
        return analyzer.batchMost();
      }

      @Override
      public List<List<String>> batches(Collection<String> hosts) {
        return analyzer.batches(hosts);
      }
    };
  }

  private static Planned planned(PlannedHosts hosts) {
    PlannedHosts.Facts facts = hosts.facts();
    return new Planned(
        hosts.batches(),
        hosts.infeasible(),
        hosts.canaries().stream().map(AnalyzerQueries::gate).toList(),
        new PlanFacts(facts.policies(), facts.placement()),
        outlook(hosts.plan(), hosts.durations(), facts));
  }

  private static Gate gate(CanaryGate gate) {
    return new Gate(
        gate.policy(),
        gate.version(),
        gate.applications(),
        (int) gate.canary().soak().toSeconds(),
        gate.canaries(),
        gate.waiting());
  }

  private static Outlook outlook(
      Plan plan, Map<String, Integer> durations, PlannedHosts.Facts facts) {
    return new Outlook(
        plan.steps().stream()
            .map(step -> new Planning.Step(step.hosts(), step.beginMillis(), step.endMillis()))
            .toList(),
        plan.waiting().stream()
            .map(waiting -> new Planning.Waiting(waiting.hosts(), waiting.reason()))
            .toList(),
        plan.makespanMillis(),
        plan.bound().millis(),
        plan.bound().formula(),
        plan.applications().stream().map(AnalyzerQueries::timeline).toList(),
        plan.assumed(),
        facts.windows(),
        facts.drains(),
        durations);
  }

  private static Planning.Timeline timeline(Plan.Timeline line) {
    return new Planning.Timeline(
        line.application(),
        line.instances(),
        line.beginMillis(),
        line.endMillis(),
        line.downMost(),
        line.downAllowed().orElse(-1));
  }
}
