package dev.drydock.auditor.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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
 */
final class Budget {
  private final Duration staleness;
  private final Instant readAt;
  private final Tally tally = new Tally(Invariant.I1);

  Budget(Rollout rollout, Duration staleness) {
    this.staleness = staleness;
    this.readAt = rollout.readAt();
    rollout.lockGaps().forEach(tally::unknown);
  }

  /** Judges all admissions of the rollout that concern this application. */
  void look(ApplicationLog log) {
    Known known = new Known(log, staleness);
    List<Admission> concerned = new ArrayList<>();
    for (Admission admission : log.admissions()) {
      Set<String> hosts = new HashSet<>(admission.hosts());
      if (known.allocated(admission.at()).stream().anyMatch(one -> hosts.contains(one.host()))) {
        concerned.add(admission);
        if (admission.at().isBefore(log.since())) {
          tally.unknown("observations are kept only since " + log.since());
        } else {
          judge(log, known, admission);
        }
      }
    }
    if (!concerned.isEmpty()) {
      breaches(log, known, concerned);
    }
  }

  private void judge(ApplicationLog log, Known known, Admission admission) {
    tally.judged();
    String what = "%s of %s".formatted(admission.what(), admission.grant());
    Optional<PolicyVersion> policy = known.policy(admission.at());
    policy.ifPresent(version -> unread(log, version));
    Optional<Objection> objection = objection(known, admission, policy);
    if (objection.isEmpty()) {
      return;
    }
    Optional<PolicyVersion> before = known.policyUntilShortlyBefore(admission.at());
    boolean replaced = before.isPresent() && !before.equals(policy);
    if (objection.get().sure()
        && (!replaced || objection(known, admission, before).filter(Objection::sure).isPresent())) {
      tally.violated(
          new Exhibit(
              "application/" + log.application(),
              Optional.of(admission.at()),
              "%s was admitted though %s".formatted(what, objection.get().says()),
              evidence(log, known, admission)));
    } else {
      tally.unknown(
          "application %s at the %s: %s, as far as the log tells"
              .formatted(log.application(), what, objection.get().says()));
    }
  }

  /** What speaks most against it. */
  private Optional<Objection> objection(
      Known known, Admission admission, Optional<PolicyVersion> policy) {
    if (policy.isEmpty()) {
      return Optional.of(new Objection("it has no policy", true));
    }
    Set<Objection> against = situation(known, admission, policy.get()).objections(policy.get());
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

  private Situation situation(Known known, Admission admission, PolicyVersion policy) {
    Known.Locked locked = known.locked(admission.revision(), admission.at());
    Set<String> surely = new HashSet<>(locked.surely());
    Set<String> perhaps = new HashSet<>(locked.perhaps());
    surely.addAll(admission.hosts());
    perhaps.addAll(admission.hosts());
    return Situation.of(
        known, new Known.Locked(surely, perhaps), admission.at(), staleness, policy.healthAgeMax());
  }

  private static List<String> evidence(ApplicationLog log, Known known, Admission admission) {
    List<String> evidence = new ArrayList<>();
    evidence.add(
        "%s of %s at %s: hosts %s"
            .formatted(admission.what(), admission.grant(), admission.at(), admission.hosts()));
    known.allocated(admission.at()).stream()
        .filter(state -> !state.health().equals("Healthy"))
        .limit(5)
        .forEach(state -> evidence.add(state.row()));
    Set<String> taken = new TreeSet<>(known.locked(admission.revision(), admission.at()).surely());
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
  private void breaches(ApplicationLog log, Known known, List<Admission> admissions) {
    Set<String> grants = new LinkedHashSet<>();
    admissions.forEach(admission -> grants.add(admission.grant()));
    for (InstanceState fell : log.instances()) {
      boolean down = fell.vanished() || !fell.health().equals("Healthy");
      if (!down || !fell.application().equals(log.application())) {
        continue;
      }
      Known.Locked locked = known.locked(OptionalLong.empty(), fell.at());
      Optional<String> open =
          grants.stream().filter(grant -> isOpen(log, grant, fell.at())).findFirst();
      Optional<PolicyVersion> policy = known.policy(fell.at());
      if (open.isEmpty() || policy.isEmpty() || locked.perhaps().contains(fell.host())) {
        continue;
      }
      Situation situation =
          Situation.of(known, locked, fell.at(), Duration.ZERO, policy.get().healthAgeMax());
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
                                  open.get()),
                          List.of(fell.row()))));
    }
  }

  private boolean isOpen(ApplicationLog log, String grant, Instant at) {
    Instant from = Instant.MAX;
    Instant to = readAt;
    for (LockEntry entry : log.locks()) {
      if (entry.lock().equals(grant) && entry.what().equals("Granted")) {
        from = entry.at();
      } else if (entry.lock().equals(grant) && entry.what().equals("Ended")) {
        to = entry.at();
      }
    }
    return !at.isBefore(from) && at.isBefore(to);
  }

  Finding finding() {
    return tally.finding();
  }
}
