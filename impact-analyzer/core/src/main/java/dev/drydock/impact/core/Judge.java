package dev.drydock.impact.core;

import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.Verdict.Decision;
import dev.drydock.lock.core.Verdict.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Decides whether hosts may go down now.
 *
 * <ol>
 *   <li>Each host must be known, and its source fresh: otherwise nobody knows what would go down,
 *       and the answer is Wait.
 *   <li>For each application on the hosts or named in the request, and each rule of its policy: the
 *       rule must allow the request. No policy is Refuse. So with several teams on one host all
 *       capacity rules apply, windows are intersected, and blackouts add up.
 *   <li>A rule that could never allow it is Refuse: waiting could never help, and the request would
 *       block others behind it.
 *   <li>One Refuse makes the verdict Refuse, else one Wait makes it Wait.
 * </ol>
 *
 * <p>Properties: pure and deterministic; a granted request leaves every application at or above its
 * strictest rule; more locks, older observations or stricter rules never turn Wait or Refuse into
 * Grant. Every rule looked at is in the findings, whether it allowed or not.
 */
public final class Judge {
  private static final int REASONS_MAX = 8;

  private Judge() {}

  /** The verdict on {@code disruptionRequest}, given the fleet and policies. */
  public static Verdict judge(Fleet fleet, Policies policies, DisruptionRequest disruptionRequest) {
    return judgement(fleet, policies, disruptionRequest).verdict();
  }

  /** The same, with the questions it waits for. */
  public static AdmissionJudgement judgement(
      Fleet fleet, Policies policies, DisruptionRequest disruptionRequest) {
    List<RuleFinding> rulings = new ArrayList<>();
    TreeSet<String> applications = new TreeSet<>(disruptionRequest.applications());
    for (String host : new TreeSet<>(disruptionRequest.hosts())) {
      unseen(fleet, host)
          .ifPresent(detail -> rulings.add(RuleFinding.withoutNumbers("", Decision.WAIT, detail)));
      fleet
          .allocatedOn(host)
          .forEach(fleetInstance -> applications.add(fleetInstance.application()));
    }
    for (String application : applications) {
      rulings.addAll(RuleEvaluation.of(fleet, policies, application, disruptionRequest));
    }
    return conclude(rulings);
  }

  /**
   * What could never be granted of these batches, each host or hosts that go together, whatever
   * comes up, ends or passes: by host, why; hosts without such a reason are left out. What stands
   * against a host alone says more than what stands against its batch. Applications without a
   * policy or with an unreadable one are not looked at.
   */
  public static SortedMap<String, List<String>> infeasible(
      Fleet fleet, Policies policies, Collection<List<String>> batches) {
    SortedMap<String, List<String>> infeasible = new TreeMap<>();
    Map<Set<Calendar>, Boolean> common = new HashMap<>();
    for (List<String> batch : batches) {
      List<String> together = never(fleet, policies, batch, common);
      for (String host : together.isEmpty() ? List.<String>of() : batch) {
        List<String> alone = never(fleet, policies, List.of(host), common);
        infeasible.put(host, alone.isEmpty() ? ofBatch(batch, together) : alone);
      }
    }
    return infeasible;
  }

  private static List<String> ofBatch(List<String> batch, List<String> reasons) {
    return reasons.stream()
        .map(why -> "in one batch of %d hosts that go together, %s".formatted(batch.size(), why))
        .toList();
  }

  private static List<String> never(
      Fleet fleet, Policies policies, List<String> batch, Map<Set<Calendar>, Boolean> common) {
    DisruptionRequest disruptionRequest =
        new DisruptionRequest(Set.copyOf(batch), Set.of(), Set.of());
    TreeSet<String> applications = new TreeSet<>();
    for (String host : batch) {
      fleet
          .allocatedOn(host)
          .forEach(fleetInstance -> applications.add(fleetInstance.application()));
    }
    List<String> reasons = new ArrayList<>();
    Set<Calendar> calendars = new LinkedHashSet<>();
    for (String application : applications) {
      reasons.addAll(RuleEvaluation.never(fleet, policies, application, disruptionRequest));
      policies.of(application).stream()
          .flatMap(policy -> policy.rules().stream())
          .forEach(
              rule -> {
                if (rule instanceof Calendar calendar) {
                  calendars.add(calendar);
                }
              });
    }
    boolean open =
        !reasons.isEmpty()
            || calendars.size() < 2
            || common.computeIfAbsent(
                calendars, all -> Calendar.next(all, fleet.now()).isPresent());
    if (!open) {
      reasons.add(
          "in the coming %d days the windows of %s have no time in common in which work could begin"
              .formatted(Calendar.HORIZON_DAYS, String.join(", ", applications)));
    }
    return List.copyOf(reasons);
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
                fleetInstance ->
                    fleetInstance.mark() >= mark
                        && upCheck
                            .notUp(fleetInstance, healthAgeMax(policies, fleetInstance))
                            .isEmpty());
  }

  /**
   * Instances of the applications on the hosts that are not up now (protocol P6), with the reason.
   */
  public static SortedMap<String, String> notUp(
      Fleet fleet,
      Policies policies,
      Set<String> held,
      Collection<String> hosts,
      Collection<String> applications) {
    SortedMap<String, String> notUp = new TreeMap<>();
    UpCheck upCheck = new UpCheck(fleet, held);
    for (String host : hosts) {
      for (FleetInstance fleetInstance : fleet.allocatedOn(host)) {
        if (applications.contains(fleetInstance.application())) {
          upCheck
              .notUp(fleetInstance, healthAgeMax(policies, fleetInstance))
              .ifPresent(why -> notUp.put(fleetInstance.id(), why));
        }
      }
    }
    return notUp;
  }

  private static Duration healthAgeMax(Policies policies, FleetInstance fleetInstance) {
    return policies
        .of(fleetInstance.application())
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

  /** Whatever lasts longest comes first, and no other is left out but where they are many. */
  private static String reason(List<RuleFinding> blocking) {
    String told =
        blocking.stream()
            .limit(REASONS_MAX)
            .map(ruling -> ruling.finding().detail())
            .collect(Collectors.joining(Verdict.ALSO));
    int more = blocking.size() - REASONS_MAX;
    return more > 0 ? told + "; and " + more + " more" : told;
  }

  private static AdmissionJudgement conclude(List<RuleFinding> rulings) {
    List<Finding> findings = rulings.stream().map(RuleFinding::finding).toList();
    for (Decision decision : List.of(Decision.REFUSE, Decision.WAIT)) {
      List<RuleFinding> blocking =
          rulings.stream()
              .filter(r -> r.decision() == decision)
              .sorted(Comparator.comparing(RuleFinding::lasts).reversed())
              .toList();
      if (!blocking.isEmpty()) {
        Verdict verdict = new Verdict(decision, reason(blocking), findings);
        List<ControllerQuestion> questions =
            blocking.stream().flatMap(ruling -> ruling.question().stream()).distinct().toList();
        boolean awaits =
            decision == Decision.WAIT && blocking.stream().allMatch(r -> r.question().isPresent());
        return awaits
            ? new AdmissionJudgement(verdict.awaiting(), questions)
            : new AdmissionJudgement(verdict, List.of());
      }
    }
    String reason = findings.isEmpty() ? "no instances on the hosts" : "every rule allows it";
    Optional<Instant> until =
        rulings.stream().flatMap(ruling -> ruling.until().stream()).min(Comparator.naturalOrder());
    return new AdmissionJudgement(
        new Verdict(Decision.GRANT, reason, findings).until(until), List.of());
  }
}
