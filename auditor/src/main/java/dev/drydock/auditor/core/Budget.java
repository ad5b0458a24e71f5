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
 * <p>{@link Standing} goes from moment to moment by what changed, so that all of it takes little
 * more than its log is long.
 */
final class Budget {
  private final Duration staleness;
  private final Instant readAt;
  private final Runnable goingOn;
  private final Tally tally = new Tally(Invariant.I1);

  /**
   * @param goingOn is run before each moment that is judged, and ends the audit by what it throws
   */
  Budget(Rollout rollout, Duration staleness, Runnable goingOn) {
    this.goingOn = goingOn;
    this.staleness = staleness;
    this.readAt = rollout.readAt();
    rollout.lockGaps().forEach(tally::unknown);
    tally.doubt(rollout.timeGaps());
  }

  /** Judges all admissions of the rollout that concern this application. */
  void look(ApplicationLog log) {
    Known known = new Known(log, staleness);
    Presence presence = new Presence(log, known);
    Standing<Long> byRevision = Standing.byRevision(log, known, presence);
    Standing<Instant> byTime = Standing.byTime(log, known, presence);
    List<Admission> concerned = new ArrayList<>();
    for (Admission admission : log.admissions()) {
      goingOn.run();
      Standing<?> standing =
          admission.revision().isPresent()
              ? byRevision.to(admission.at(), admission.revision().getAsLong())
              : byTime.to(admission.at(), admission.at());
      if (standing.concerns(admission.hosts())) {
        concerned.add(admission);
        if (admission.at().isBefore(log.since())) {
          tally.unknown("observations are kept only since " + log.since());
        } else {
          judge(log, known, standing, admission);
        }
      }
    }
    if (!concerned.isEmpty()) {
      breaches(log, known, byTime, concerned);
    }
  }

  private void judge(ApplicationLog log, Known known, Standing<?> standing, Admission admission) {
    tally.judged();
    String what = "%s of %s".formatted(admission.what(), admission.grant());
    Optional<PolicyVersion> policy = known.policy(admission.at());
    policy.ifPresent(version -> unread(log, version));
    Optional<Objection> objection = objection(standing, admission, policy);
    if (objection.isEmpty()) {
      return;
    }
    Optional<PolicyVersion> before = known.policyUntilShortlyBefore(admission.at());
    boolean replaced = before.isPresent() && !before.equals(policy);
    if (objection.get().sure()
        && (!replaced
            || objection(standing, admission, before).filter(Objection::sure).isPresent())) {
      tally.violated(
          () ->
              new Exhibit(
                  "application/" + log.application(),
                  Optional.of(admission.at()),
                  "%s was admitted though %s".formatted(what, objection.get().says()),
                  evidence(log, known, standing, admission)));
    } else {
      tally.unknown(
          "application %s at the %s: %s, as far as the log tells"
              .formatted(log.application(), what, objection.get().says()));
    }
  }

  /** What speaks most against it. */
  private Optional<Objection> objection(
      Standing<?> standing, Admission admission, Optional<PolicyVersion> policy) {
    if (policy.isEmpty()) {
      return Optional.of(new Objection("it has no policy", true));
    }
    Situation situation =
        standing.situation(
            admission.at(), staleness, policy.get().healthAgeMax(), admission.hosts());
    Set<Objection> against = situation.objections(policy.get());
    policy
        .get()
        .times()
        .flatMap(times -> times.against(admission, staleness, policy.get()))
        .ifPresent(against::add);
    return against.stream()
        .filter(Objection::sure)
        .findFirst()
        .or(() -> against.stream().findFirst());
  }

  private void unread(ApplicationLog log, PolicyVersion policy) {
    for (String rule : policy.unread()) {
      tally.unknown(
          "application %s: the auditor does not judge %s of %s"
              .formatted(log.application(), rule, policy));
    }
  }

  private static List<String> evidence(
      ApplicationLog log, Known known, Standing<?> standing, Admission admission) {
    List<String> evidence = new ArrayList<>();
    evidence.add(
        "%s of %s at %s: hosts %s"
            .formatted(admission.what(), admission.grant(), admission.at(), admission.hosts()));
    known.allocated(admission.at()).stream()
        .filter(state -> !state.health().equals("Healthy"))
        .limit(5)
        .forEach(state -> evidence.add(state.row()));
    Set<String> taken = new TreeSet<>(standing.surelyLocked());
    log.locks().stream()
        .filter(entry -> entry.what().equals("Granted"))
        .filter(entry -> entry.hosts().stream().anyMatch(taken::contains))
        .filter(
            entry -> !entry.at().isAfter(admission.at()) || entry.lock().equals(admission.grant()))
        .limit(5)
        .forEach(entry -> evidence.add(entry.row()));
    return evidence;
  }

  /** What fell over by itself while hosts of the rollout were down, and then too little was up. */
  private void breaches(
      ApplicationLog log, Known known, Standing<Instant> byTime, List<Admission> admissions) {
    List<String> grants = admissions.stream().map(Admission::grant).distinct().toList();
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
    for (InstanceState fell : log.instances()) {
      boolean down = fell.vanished() || !fell.health().equals("Healthy");
      if (!down || !fell.application().equals(log.application())) {
        continue;
      }
      goingOn.run();
      batches.to(fell.at());
      Optional<PolicyVersion> policy = known.policy(fell.at());
      if (open.isEmpty()
          || policy.isEmpty()
          || byTime.to(fell.at(), fell.at()).isPerhapsLocked(fell.host())) {
        continue;
      }

      Situation situation =
          byTime.situation(fell.at(), Duration.ZERO, policy.get().healthAgeMax(), List.of());
      situation.objections(policy.get()).stream()
          .filter(Objection::sure)
          .findFirst()
          .ifPresent(
              objection ->
                  tally.breached(
                      new Exhibit(
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
    return tally.finding();
  }
}
