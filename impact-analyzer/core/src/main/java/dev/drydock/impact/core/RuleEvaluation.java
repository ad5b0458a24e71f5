package dev.drydock.impact.core;

import dev.drydock.lock.core.Verdict.Decision;
import dev.drydock.lock.core.Verdict.Finding;
import java.util.List;
import java.util.Optional;

/** Asks the rules of one application's policy. */
final class RuleEvaluation {
  private RuleEvaluation() {}

  /** What each rule says; a single blocker when there is no readable policy. */
  static List<RuleFinding> of(
      Fleet fleet, Policies policies, String application, DisruptionRequest disruptionRequest) {
    String unreadable = policies.unreadable().get(application);
    if (unreadable != null) {
      return List.of(
          RuleFinding.withoutNumbers(
              application,
              Decision.WAIT,
              "the policy of application %s cannot be read: %s"
                  .formatted(application, unreadable)));
    }
    Optional<Policy> policy = policies.of(application);
    if (policy.isEmpty()) {
      return List.of(
          RuleFinding.withoutNumbers(
              application,
              Decision.REFUSE,
              "application %s has no policy: its team has to apply one first"
                  .formatted(application)));
    }
    ApplicationState state =
        new ApplicationState(fleet, policy.get(), application, disruptionRequest);
    return policy.get().rules().stream().map(rule -> guarded(state, rule)).toList();
  }

  /** Why rules could never allow the request, by rule. */
  static List<String> never(
      Fleet fleet, Policies policies, String application, DisruptionRequest disruptionRequest) {
    return policies.of(application).stream()
        .map(policy -> new ApplicationState(fleet, policy, application, disruptionRequest))
        .flatMap(
            state ->
                state.policy().rules().stream()
                    .flatMap(
                        rule ->
                            never(state, rule).map(why -> name(state, rule) + " " + why).stream()))
        .toList();
  }

  /** A rule that fails holds what it is asked about, and nobody else: all are asked in one pass. */
  private static RuleFinding guarded(ApplicationState state, Rule rule) {
    try {
      return ruling(state, rule);
    } catch (RuntimeException failed) {
      return RuleFinding.withoutNumbers(
          state.application(),
          rule.toString(),
          Decision.WAIT,
          "%s failed, which is a fault of Drydock: %s".formatted(name(state, rule), failed));
    }
  }

  private static Optional<String> never(ApplicationState state, Rule rule) {
    try {
      return rule.never(state);
    } catch (RuntimeException failed) {
      return Optional.empty(); // Nobody knows; what it holds is told with the reason.
    }
  }

  private static RuleFinding ruling(ApplicationState state, Rule rule) {
    RuleResult ruleResult = rule.judge(state);
    Optional<String> never = ruleResult.allows() ? Optional.empty() : rule.never(state);
    Decision decision =
        ruleResult.allows() ? Decision.GRANT : never.isPresent() ? Decision.REFUSE : Decision.WAIT;
    return new RuleFinding(
        decision,
        new Finding(
            state.application(),
            rule.toString(),
            state.desired(),
            state.up(),
            state.taken(),
            ruleResult.required(),
            ruleResult.allows(),
            "%s %s%s"
                .formatted(
                    name(state, rule), ruleResult.says(), never.map(why -> "; " + why).orElse(""))),
        rule.lasts(),
        ruleResult.until(),
        ruleResult.question());
  }

  private static String name(ApplicationState state, Rule rule) {
    return "application %s: %s (policy %s version %d)"
        .formatted(state.application(), rule, state.policy().name(), state.policy().version());
  }
}
