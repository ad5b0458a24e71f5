package dev.drydock.auditor.core;

import dev.drydock.auditor.core.Timeline.Turn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * I1, told a second time from what was observed and the policies as they were written. For each
 * admission and each application with an instance on its hosts:
 *
 * <ol>
 *   <li>What was up is counted as it could be known then; all hosts with a lock are down.
 *   <li>It is a violation when too little was left even if what was told within the staleness bound
 *       was not known yet.
 *   <li>It is held when enough was left by what is sure, or by what could be known within that
 *       bound; else it is unknown.
 * </ol>
 *
 * What falls over later, while a batch is open, is a breach: nobody could know.
 *
 * <p>{@link AvailabilityTracker} goes from moment to moment by what changed, so that all of it
 * takes little more than its log is long.
 */
final class BudgetCheck {
  private final Duration staleness;
  private final Instant readAt;
  private final Runnable goingOn;
  private final FindingCounter findingCounter = new FindingCounter(Invariant.I1);

  /**
   * @param goingOn is run before each moment that is judged, and ends the audit by what it throws
   */
  BudgetCheck(AuditedRollout auditedRollout, Duration staleness, Runnable goingOn) {
    this.goingOn = goingOn;
    this.staleness = staleness;
    this.readAt = auditedRollout.readAt();
    auditedRollout.lockGaps().forEach(findingCounter::unknown);
    findingCounter.doubt(auditedRollout.timeGaps());
  }

  /** Judges all admissions of the rollout that concern this application. */
  void look(ApplicationLog log) {
    KnownApplicationState knownApplicationState = new KnownApplicationState(log, staleness);
    InstanceAvailability instanceAvailability =
        new InstanceAvailability(log, knownApplicationState);
    AvailabilityTracker<Long> byRevision =
        AvailabilityTracker.byRevision(log, knownApplicationState, instanceAvailability);
    AvailabilityTracker<Instant> byTime =
        AvailabilityTracker.byTime(log, knownApplicationState, instanceAvailability);
    List<LoggedAdmission> concerned = new ArrayList<>();
    for (LoggedAdmission loggedAdmission : log.admissions()) {
      goingOn.run();
      AvailabilityTracker<?> availabilityTracker =
          loggedAdmission.revision().isPresent()
              ? byRevision.to(loggedAdmission.at(), loggedAdmission.revision().getAsLong())
              : byTime.to(loggedAdmission.at(), loggedAdmission.at());
      if (availabilityTracker.concerns(loggedAdmission.hosts())) {
        concerned.add(loggedAdmission);
        if (loggedAdmission.at().isBefore(log.since())) {
          findingCounter.unknown("observations are kept only since " + log.since());
        } else {
          judge(log, knownApplicationState, availabilityTracker, loggedAdmission);
        }
      }
    }
    if (!concerned.isEmpty()) {
      breaches(log, knownApplicationState, byTime, concerned);
    }
  }

  private void judge(
      ApplicationLog log,
      KnownApplicationState knownApplicationState,
      AvailabilityTracker<?> availabilityTracker,
      LoggedAdmission loggedAdmission) {
    findingCounter.judged();
    String what = "%s of %s".formatted(loggedAdmission.what(), loggedAdmission.grant());
    Optional<PolicyVersion> policy = knownApplicationState.policy(loggedAdmission.at());
    policy.ifPresent(version -> unread(log, version));
    Optional<RuleViolation> objection = objection(availabilityTracker, loggedAdmission, policy);
    if (objection.isEmpty()) {
      return;
    }
    Optional<PolicyVersion> before =
        knownApplicationState.policyUntilShortlyBefore(loggedAdmission.at());
    boolean replaced = before.isPresent() && !before.equals(policy);
    if (objection.get().sure()
        && (!replaced
            || objection(availabilityTracker, loggedAdmission, before)
                .filter(RuleViolation::sure)
                .isPresent())) {
      findingCounter.violated(
          () ->
              new FindingDetail(
                  "application/" + log.application(),
                  Optional.of(loggedAdmission.at()),
                  "%s was admitted though %s".formatted(what, objection.get().says()),
                  evidence(log, knownApplicationState, availabilityTracker, loggedAdmission)));
    } else {
      findingCounter.unknown(
          "application %s at the %s: %s, as far as the log tells"
              .formatted(log.application(), what, objection.get().says()));
    }
  }

  /** What speaks most against it. */
  private Optional<RuleViolation> objection(
      AvailabilityTracker<?> availabilityTracker,
      LoggedAdmission loggedAdmission,
      Optional<PolicyVersion> policy) {
    if (policy.isEmpty()) {
      return Optional.of(new RuleViolation("it has no policy", true));
    }
    AvailabilitySnapshot availabilitySnapshot =
        availabilityTracker.situation(
            loggedAdmission.at(), staleness, policy.get().healthAgeMax(), loggedAdmission.hosts());
    Set<RuleViolation> against = availabilitySnapshot.objections(policy.get());
    policy
        .get()
        .times()
        .flatMap(times -> times.against(loggedAdmission, staleness, policy.get()))
        .ifPresent(against::add);
    return against.stream()
        .filter(RuleViolation::sure)
        .findFirst()
        .or(() -> against.stream().findFirst());
  }

  private void unread(ApplicationLog log, PolicyVersion policy) {
    for (String rule : policy.unread()) {
      findingCounter.unknown(
          "application %s: the auditor does not judge %s of %s"
              .formatted(log.application(), rule, policy));
    }
  }

  private static List<String> evidence(
      ApplicationLog log,
      KnownApplicationState knownApplicationState,
      AvailabilityTracker<?> availabilityTracker,
      LoggedAdmission loggedAdmission) {
    List<String> evidence = new ArrayList<>();
    evidence.add(
        "%s of %s at %s: hosts %s"
            .formatted(
                loggedAdmission.what(),
                loggedAdmission.grant(),
                loggedAdmission.at(),
                loggedAdmission.hosts()));
    knownApplicationState.allocated(loggedAdmission.at()).stream()
        .filter(state -> !state.health().equals("Healthy"))
        .limit(5)
        .forEach(state -> evidence.add(state.row()));
    Set<String> taken = new TreeSet<>(availabilityTracker.surelyLocked());
    log.locks().stream()
        .filter(entry -> entry.what().equals("Granted"))
        .filter(entry -> entry.hosts().stream().anyMatch(taken::contains))
        .filter(
            entry ->
                !entry.at().isAfter(loggedAdmission.at())
                    || entry.lock().equals(loggedAdmission.grant()))
        .limit(5)
        .forEach(entry -> evidence.add(entry.row()));
    return evidence;
  }

  /** What fell over by itself while hosts of the rollout were down, and then too little was up. */
  private void breaches(
      ApplicationLog log,
      KnownApplicationState knownApplicationState,
      AvailabilityTracker<Instant> byTime,
      List<LoggedAdmission> admissions) {
    List<String> grants = admissions.stream().map(LoggedAdmission::grant).distinct().toList();
    TreeSet<Integer> open = new TreeSet<>();
    var batches =
        batches(log, grants)
            .follow(
                (place, begins) -> {
                  if (begins) {
                    open.add(place);
                  } else {
                    open.remove(place);
                  }
                });
    for (LoggedInstanceState fell : log.instances()) {
      boolean down = fell.vanished() || !fell.health().equals("Healthy");
      if (!down || !fell.application().equals(log.application())) {
        continue;
      }
      goingOn.run();
      batches.to(fell.at());
      Optional<PolicyVersion> policy = knownApplicationState.policy(fell.at());
      if (open.isEmpty()
          || policy.isEmpty()
          || byTime.to(fell.at(), fell.at()).isPerhapsLocked(fell.host())) {
        continue;
      }

      AvailabilitySnapshot availabilitySnapshot =
          byTime.situation(fell.at(), Duration.ZERO, policy.get().healthAgeMax(), List.of());
      availabilitySnapshot.objections(policy.get()).stream()
          .filter(RuleViolation::sure)
          .findFirst()
          .ifPresent(
              objection ->
                  findingCounter.breached(
                      new FindingDetail(
                          "application/" + log.application(),
                          Optional.of(fell.at()),
                          "%s, since %s on %s %s after %s was granted"
                              .formatted(
                                  objection.says(),
                                  fell.instance(),
                                  fell.host(),
                                  fell.vanished() ? "vanished" : "was told to be " + fell.health(),
                                  grants.get(open.first())),
                          List.of(fell.row()))));
    }
  }

  /** From when to when grants had their hosts, each by its place in the list. */
  private Timeline<Instant, Integer> batches(ApplicationLog log, List<String> grants) {
    Map<String, Instant> granted = new HashMap<>();
    Map<String, Instant> ended = new HashMap<>();
    for (LockEntry entry : log.locks()) {
      switch (entry.what()) {
        case "Granted" -> granted.put(entry.lock(), entry.at());
        case "Ended" -> ended.put(entry.lock(), entry.at());
        default -> {}
      }
    }
    List<Turn<Instant, Integer>> turns = new ArrayList<>();
    for (int place = 0; place < grants.size(); place++) {
      Instant from = granted.getOrDefault(grants.get(place), Instant.MAX);
      Instant to = ended.getOrDefault(grants.get(place), readAt);
      if (from.isBefore(to)) {
        turns.add(new Turn<>(from, place, true));
        turns.add(new Turn<>(to, place, false));
      }
    }
    return new Timeline<>(turns);
  }

  Finding finding() {
    return findingCounter.finding();
  }
}
