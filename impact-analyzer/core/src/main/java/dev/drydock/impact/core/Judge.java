package dev.drydock.impact.core;

import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.Verdict.Decision;
import dev.drydock.lock.core.Verdict.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides whether hosts may go down now.
 *
 * <ol>
 *   <li>Each host must be known, and its source fresh: otherwise nobody knows what would go down,
 *       and the answer is Hold.
 *   <li>For each application on the hosts or named in the request, and each rule of its policy:
 *       what is up, less what is taken of it, must not be below what the rule requires. No policy
 *       is Refuse.
 *   <li>A rule that would be broken even with everything up is Refuse: waiting could never help,
 *       and the request would block others behind it.
 *   <li>One Refuse makes the verdict Refuse, else one Hold makes it Hold.
 * </ol>
 *
 * <p>Properties: pure and deterministic; a granted request leaves every application at or above its
 * strictest rule; more locks, older observations or stricter rules never turn Hold or Refuse into
 * Grant. Every rule looked at is in the findings, whether it allowed or not.
 */
public final class Judge {
  private Judge() {}

  /** The verdict on {@code request}, given the fleet and policies. */
  public static Verdict judge(Fleet fleet, Policies policies, Request request) {
    List<Ruling> rulings = new ArrayList<>();
    TreeSet<String> applications = new TreeSet<>(request.applications());
    for (String host : new TreeSet<>(request.hosts())) {
      unseen(fleet, host)
          .ifPresent(detail -> rulings.add(Ruling.withoutNumbers("", Decision.HOLD, detail)));
      fleet.allocatedOn(host).forEach(instance -> applications.add(instance.application()));
    }
    for (String application : applications) {
      rulings.addAll(ApplicationCount.of(fleet, application, request).rulings(policies));
    }
    return conclude(rulings);
  }

  /**
   * Whether everything allocated on the host was observed healthy at or after {@code mark},
   * whatever locks the host has. A host without instances is healthy once its source reported it
   * again.
   */
  public static boolean healthySince(Fleet fleet, Policies policies, String host, long mark) {
    if (unseen(fleet, host).isPresent()) {
      return false;
    }
    UpCheck upCheck = new UpCheck(fleet, Set.of());
    String source = fleet.host(host).map(FleetHost::source).orElseThrow();
    return fleet.lastMark(source) >= mark
        && fleet.allocatedOn(host).stream()
            .allMatch(
                instance ->
                    instance.mark() >= mark
                        && upCheck.notUp(instance, healthAgeMax(policies, instance)).isEmpty());
  }

  private static Duration healthAgeMax(Policies policies, Instance instance) {
    return policies
        .of(instance.application())
        .map(Policy::healthAgeMax)
        .orElse(Policy.DEFAULT_HEALTH_AGE_MAX);
  }

  private static Optional<String> unseen(Fleet fleet, String name) {
    Optional<FleetHost> host = fleet.host(name);
    if (host.isEmpty()) {
      return Optional.of("host " + name + " is not in the inventory");
    }
    if (host.get().vanished()) {
      return Optional.of(
          "host %s vanished from the reports of source %s".formatted(name, host.get().source()));
    }
    return fleet
        .staleness(host.get().source())
        .map(stale -> "the view of host %s is stale: %s".formatted(name, stale));
  }

  private static Verdict conclude(List<Ruling> rulings) {
    List<Finding> findings = rulings.stream().map(Ruling::finding).toList();
    for (Decision decision : List.of(Decision.REFUSE, Decision.HOLD)) {
      List<Ruling> blocking = rulings.stream().filter(r -> r.decision() == decision).toList();
      if (!blocking.isEmpty()) {
        String more = blocking.size() == 1 ? "" : "; and " + (blocking.size() - 1) + " more";
        return new Verdict(decision, blocking.getFirst().finding().detail() + more, findings);
      }
    }
    String reason = findings.isEmpty() ? "no instances on the hosts" : "every rule allows it";
    return new Verdict(Decision.GRANT, reason, findings);
  }
}
