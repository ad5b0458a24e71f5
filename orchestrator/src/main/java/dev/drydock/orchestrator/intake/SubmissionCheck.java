package dev.drydock.orchestrator.intake;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.Release;
import dev.drydock.api.RolloutMode;
import dev.drydock.orchestrator.intake.Planning.Planned;
import dev.drydock.orchestrator.inventory.NameRules;
import dev.drydock.orchestrator.inventory.SimilarNames;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.HttpStatus;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/** Judges a submission as a whole: every fault of it is named. */
final class SubmissionCheck {
  private static final int HOSTS_MAX = 500_000;
  private static final int DIFFERENCES_MAX = 100;
  private static final Duration LATE_MAX = Duration.ofMinutes(5);
  private static final Duration AHEAD_MAX = Duration.ofDays(366);
  private static final String SELECTOR = "selector";
  private static final Set<String> MODES =
      new TreeSet<>(Set.of(RolloutMode.PackageUpdate.name(), RolloutMode.Reimage.name()));

  private final Submission submission;
  private final boolean back;
  private final SubmissionFaults submissionFaults = new SubmissionFaults();
  private Optional<Release> release = Optional.empty();
  private List<String> hosts = List.of();
  private Planned planned = new Planned(List.of(), Map.of());

  /**
   * Of one submission.
   *
   * @param back whether hosts may go to an older release than they have: a revert, or its retry
   */
  SubmissionCheck(Submission submission, boolean back) {
    this.submission = submission;
    this.back = back;
  }

  /** Looks at everything, and plans the hosts that are known. */
  Planned plan(Handle handle, PolicyCoverage policies, Planning planning) {
    fields(handle);
    hosts = listed(handle);
    hosts(handle, policies, planning);
    return planned;
  }

  /** All it is about, those that it selects by their labels as of now. */
  List<String> hosts() {
    return hosts;
  }

  /** Hosts that rules, or no rule, stand against, with the reason. */
  Map<String, String> refused() {
    return submissionFaults.refused();
  }

  /**
   * Lets a submission pass that has nothing wrong.
   *
   * @throws ApiException 409 if it starts a plan that is stale, with what is different; 422 with
   *     all faults, where the code names the fault if all are of one kind
   */
  void accept() {
    submission.plan().ifPresent(this::stale);
    submissionFaults.requireNone();
  }

  /**
   * Lets one pass that is only looked at: hosts that could never be granted are no fault of it.
   *
   * @throws ApiException 422 with all other faults
   */
  void acceptInfeasible() {
    submissionFaults.requireNoneButInfeasible();
  }

  private void stale(PlanFacts.Named made) {
    PlanFacts now = planned.revision();
    if (made.digest().equals(now.digest())) {
      return;
    }
    List<String> differences = made.parts().map(parts -> parts.differences(now)).orElse(List.of());
    List<ErrorDetail> details = new ArrayList<>();
    differences.stream()
        .limit(DIFFERENCES_MAX)
        .forEach(difference -> details.add(ApiException.detail("plan", difference)));
    if (differences.size() > DIFFERENCES_MAX) {
      details.add(
          ApiException.detail(
              "plan", "and %d more differences".formatted(differences.size() - DIFFERENCES_MAX)));
    }
    throw new ApiException(
        HttpStatus.CONFLICT,
        "STALE_PLAN",
        "The plan of revision %s is stale, the revision is %s now: %s; nothing was started. Plan again."
            .formatted(
                FreeText.shown(made.digest()),
                now.digest(),
                differences.isEmpty()
                    ? "send the plan itself to be told what is different"
                    : "%d differences".formatted(differences.size())),
        details);
  }

  private void fields(Handle handle) {
    release = NameRules.isName(submission.release()) ? released(handle) : Optional.empty();
    if (release.isEmpty()) {
      submissionFaults.add(
          "UNKNOWN_RELEASE",
          "release",
          "release "
              + FreeText.shown(submission.release())
              + " is not in the catalogue; add it first");
    }
    if (!MODES.contains(submission.mode())) {
      submissionFaults.add("UNKNOWN_MODE", "mode", "mode must be one of " + MODES);
    }
    text("reason", submission.reason());
    submission.requestId().ifPresent(id -> text("requestId", id));
    text("changeTicket", submission.terms().changeTicket());
    submission.terms().startAt().ifPresent(at -> startsInTime(handle, at));
  }

  private Optional<Release> released(Handle handle) {
    return Sql.find(
            handle,
            String.class,
            "SELECT spec::text FROM releases WHERE name = :name",
            Map.of("name", submission.release()))
        .map(spec -> Json.read(spec, Release.class));
  }

  /** One that lies a little in the past was now when it was written. */
  private void startsInTime(Handle handle, Instant at) {
    Instant now = Sql.one(handle, Instant.class, "SELECT clock_timestamp()", Map.of());
    if (at.isBefore(now.minus(LATE_MAX)) || at.isAfter(now.plus(AHEAD_MAX))) {
      submissionFaults.add(
          "INVALID_START",
          "startAt",
          "startAt is %s, and it is %s now; it must be within the next %d days"
              .formatted(at, now.truncatedTo(ChronoUnit.SECONDS), AHEAD_MAX.toDays()));
    }
  }

  private void text(String field, String text) {
    if (!FreeText.fits(text)) {
      submissionFaults.add("INVALID_TEXT", field, field + " " + FreeText.MUST);
    }
  }

  private List<String> listed(Handle handle) {
    String selector = submission.selector();
    if (selector.isEmpty()) {
      if (submission.hosts().isEmpty()) {
        submissionFaults.add("NO_HOSTS", "hosts", "the list of hosts is empty; name at least one");
      }
      return submission.hosts();
    }
    if (!submission.hosts().isEmpty()) {
      submissionFaults.add(
          "INVALID_SELECTOR", SELECTOR, "hosts are named as well; give either of the two");
      return submission.hosts();
    }
    if (!FreeText.fits(selector)) {
      submissionFaults.add("INVALID_SELECTOR", SELECTOR, SELECTOR + " " + FreeText.MUST);
      return List.of();
    }
    try {
      List<String> selected = HostSelector.parse(selector).hosts(handle);
      if (selected.isEmpty()) {
        submissionFaults.add("NO_HOSTS", SELECTOR, "no host that is reported has such labels");
      }
      return selected;
    } catch (IllegalArgumentException wrong) {
      submissionFaults.add("INVALID_SELECTOR", SELECTOR, String.valueOf(wrong.getMessage()));
      return List.of();
    }
  }

  private void hosts(Handle handle, PolicyCoverage policies, Planning planning) {
    if (hosts.size() > HOSTS_MAX) {
      submissionFaults.add(
          "TOO_MANY_HOSTS", "hosts", "a rollout has at most " + HOSTS_MAX + " hosts");
      return;
    }
    List<String> names = hosts.stream().distinct().filter(NameRules::isName).toList();
    Map<String, HostCheck.Known> known = HostCheck.known(handle, names);
    HostCheck.Seen seen =
        new HostCheck.Seen(
            known,
            SimilarNames.to(
                handle, hosts.stream().filter(host -> !known.containsKey(host)).toList()),
            back || release.isEmpty() ? Map.of() : DowngradeCheck.of(handle, release.get(), names),
            Map.copyOf(policies.applicationsWithoutPolicy(names)),
            MODES.contains(submission.mode())
                ? Map.copyOf(policies.forbidding(names, submission.mode()))
                : Map.of());
    HostCheck check = new HostCheck(submission.mode(), release, seen, submissionFaults);
    planned =
        planning.plan(names.stream().filter(known::containsKey).toList(), submission.release());
    Map<String, Integer> first = new HashMap<>();
    for (int i = 0; i < hosts.size(); i++) {
      String host = hosts.get(i);
      Integer earlier = first.putIfAbsent(host, i);
      if (earlier != null) {
        submissionFaults.add(
            "DUPLICATE_HOST",
            at(i),
            FreeText.shown(host) + " is named already, in hosts[" + earlier + "]");
      } else {
        check.judge(at(i), host);
        for (String reason : planned.infeasible().getOrDefault(host, List.of())) {
          submissionFaults.neverGranted(at(i), host, reason);
        }
      }
    }
  }

  private static String at(int index) {
    return "hosts[" + index + "]";
  }
}
