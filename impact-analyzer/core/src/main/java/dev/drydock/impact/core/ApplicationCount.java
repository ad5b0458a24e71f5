package dev.drydock.impact.core;

import dev.drydock.lock.core.Verdict.Decision;
import dev.drydock.lock.core.Verdict.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One application before and after a request.
 *
 * @param allocated instances its schedulers allocate, up or not
 * @param upCheck tells which of them are up
 */
record ApplicationCount(
    String application, List<Instance> allocated, Request request, UpCheck upCheck) {
  private static final int NAMED_MAX = 3;

  static ApplicationCount of(Fleet fleet, String application, Request request) {
    return new ApplicationCount(
        application,
        fleet.allocatedTo(application),
        request,
        new UpCheck(fleet, request.held(), request.ending()));
  }

  /**
   * What each rule of the application's policy says; a single blocker when there is no readable
   * policy.
   */
  List<Ruling> rulings(Policies policies) {
    String unreadable = policies.unreadable().get(application);
    if (unreadable != null) {
      return List.of(
          blocker(
              Decision.HOLD,
              "the policy of application %s cannot be read: %s"
                  .formatted(application, unreadable)));
    }
    Optional<Policy> policy = policies.of(application);
    if (policy.isEmpty()) {
      return List.of(
          blocker(
              Decision.REFUSE,
              "application %s has no policy: its team has to apply one first"
                  .formatted(application)));
    }
    return rulings(policy.get());
  }

  private Ruling blocker(Decision decision, String detail) {
    return Ruling.withoutNumbers(application, decision, detail);
  }

  private List<Ruling> rulings(Policy policy) {
    List<Instance> up = new ArrayList<>();
    List<String> notUp = new ArrayList<>();
    for (Instance instance : allocated) {
      upCheck
          .notUp(instance, policy.healthAgeMax())
          .ifPresentOrElse(
              why -> notUp.add(instance.id() + " (" + why + ")"), () -> up.add(instance));
    }
    int taken = (int) up.stream().filter(i -> request.hosts().contains(i.host())).count();
    Numbers numbers =
        new Numbers(policy.desired().instances(allocated.size()), up.size(), taken, notUp);
    return policy.rules().stream().map(rule -> ruling(policy, rule, numbers)).toList();
  }

  private record Numbers(int desired, int up, int taken, List<String> notUp) {}

  private Ruling ruling(Policy policy, Rule rule, Numbers n) {
    int required = rule.required(n.desired());
    boolean allows = n.up() - n.taken() >= required;
    Decision decision =
        allows ? Decision.GRANT : upAtBest(n) >= required ? Decision.HOLD : Decision.REFUSE;
    String detail =
        "application %s: %s (policy %s version %d) needs %d of %d up; %d up, this takes %d%s%s"
            .formatted(
                application,
                rule,
                policy.name(),
                policy.version(),
                required,
                n.desired(),
                n.up(),
                n.taken(),
                decision == Decision.REFUSE ? ", too many even with all up" : "",
                allows ? "" : notUpNames(n.notUp()));
    return new Ruling(
        decision,
        new Finding(
            application,
            rule.toString(),
            n.desired(),
            n.up(),
            n.taken(),
            required,
            allows,
            detail));
  }

  /** What could stay up if everything that exists or should exist were up. */
  private int upAtBest(Numbers n) {
    long onHosts = allocated.stream().filter(i -> request.hosts().contains(i.host())).count();
    return Math.max(n.desired(), allocated.size()) - (int) onHosts;
  }

  private static String notUpNames(List<String> notUp) {
    if (notUp.isEmpty()) {
      return "";
    }
    String names = notUp.stream().sorted().limit(NAMED_MAX).collect(Collectors.joining(", "));
    int more = notUp.size() - NAMED_MAX;
    return "; not up: " + names + (more > 0 ? " and " + more + " more" : "");
  }
}
