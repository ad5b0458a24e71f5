package dev.drydock.orchestrator.intake;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.Release;
import dev.drydock.api.RolloutMode;
import dev.drydock.orchestrator.intake.Planning.Planned;
import dev.drydock.orchestrator.inventory.Alike;
import dev.drydock.orchestrator.inventory.Names;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.HttpStatus;
import dev.drydock.proto.Json;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Judges a submission as a whole: every fault is named, with its field or its place in the list of
 * hosts.
 */
final class SubmissionCheck {
  private static final int HOSTS_MAX = 500_000;
  private static final int DIFFERENCES_MAX = 100;
  private static final Duration LATE_MAX = Duration.ofMinutes(5);
  private static final Duration AHEAD_MAX = Duration.ofDays(366);
  private static final String INFEASIBLE = "INFEASIBLE";
  private static final String SELECTOR = "selector";
  private static final List<String> FAMILIES = List.of("apt", "dnf");
  private static final Set<String> MODES =
      new TreeSet<>(Set.of(RolloutMode.PackageUpdate.name(), RolloutMode.Reimage.name()));

  private final Submission submission;
  private final boolean back;
  private final List<ErrorDetail> faults = new ArrayList<>();
  private final Set<String> codes = new LinkedHashSet<>();
  private final Map<String, String> refused = new LinkedHashMap<>();
  private final List<ErrorDetail> infeasible = new ArrayList<>();
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
    return refused;
  }

  /**
   * Lets a submission pass that has nothing wrong.
   *
   * @throws ApiException 409 if it starts a plan that is stale, with what is different; 422 with
   *     all faults, where the code names the fault if all are of one kind
   */
  void accept() {
    submission.plan().ifPresent(this::stale);
    require(faults);
  }

  /**
   * Lets one pass that is only looked at: hosts that could never be granted are no fault of it.
   *
   * @throws ApiException 422 with all other faults
   */
  void acceptInfeasible() {
    codes.remove(INFEASIBLE);
    require(faults.stream().filter(fault -> !infeasible.contains(fault)).toList());
  }

  private void require(List<ErrorDetail> none) {
    if (!none.isEmpty()) {
      String code = codes.size() == 1 ? codes.iterator().next() : "INVALID_ROLLOUT";
      throw ApiException.invalid(
          code,
          "The rollout has "
              + none.size()
              + (none.size() == 1 ? " fault" : " faults")
              + "; nothing was started.",
          none);
    }
  }

  private void stale(PlanRevision.Named made) {
    PlanRevision now = planned.revision();
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
    release = Names.isName(submission.release()) ? released(handle) : Optional.empty();
    if (release.isEmpty()) {
      fault(
          "UNKNOWN_RELEASE",
          "release",
          "release "
              + FreeText.shown(submission.release())
              + " is not in the catalogue; add it first");
    }
    if (!MODES.contains(submission.mode())) {
      fault("UNKNOWN_MODE", "mode", "mode must be one of " + MODES);
    }
    text("reason", submission.reason());
    submission.requestId().ifPresent(id -> text("requestId", id));
    text("changeTicket", submission.terms().changeTicket());
    submission.terms().startAt().ifPresent(at -> startsInTime(handle, at));
  }

  private Optional<Release> released(Handle handle) {
    return handle
        .createQuery("SELECT spec::text FROM releases WHERE name = :name")
        .bind("name", submission.release())
        .mapTo(String.class)
        .map(spec -> Json.read(spec, Release.class))
        .findOne();
  }

  /** One that lies a little in the past was now when it was written. */
  private void startsInTime(Handle handle, Instant at) {
    Instant now =
        handle.createQuery("SELECT clock_timestamp()").mapTo(Timestamp.class).one().toInstant();
    if (at.isBefore(now.minus(LATE_MAX)) || at.isAfter(now.plus(AHEAD_MAX))) {
      fault(
          "INVALID_START",
          "startAt",
          "startAt is %s, and it is %s now; it must be within the next %d days"
              .formatted(at, now.truncatedTo(ChronoUnit.SECONDS), AHEAD_MAX.toDays()));
    }
  }

  private void text(String field, String text) {
    if (!FreeText.fits(text)) {
      fault("INVALID_TEXT", field, field + " " + FreeText.MUST);
    }
  }

  private List<String> listed(Handle handle) {
    String selector = submission.selector();
    if (selector.isEmpty()) {
      if (submission.hosts().isEmpty()) {
        fault("NO_HOSTS", "hosts", "the list of hosts is empty; name at least one");
      }
      return submission.hosts();
    }
    if (!submission.hosts().isEmpty()) {
      fault("INVALID_SELECTOR", SELECTOR, "hosts are named as well; give either of the two");
      return submission.hosts();
    }
    if (!FreeText.fits(selector)) {
      fault("INVALID_SELECTOR", SELECTOR, SELECTOR + " " + FreeText.MUST);
      return List.of();
    }
    try {
      List<String> selected = HostSelector.parse(selector).hosts(handle);
      if (selected.isEmpty()) {
        fault("NO_HOSTS", SELECTOR, "no host that is reported has such labels");
      }
      return selected;
    } catch (IllegalArgumentException wrong) {
      fault("INVALID_SELECTOR", SELECTOR, String.valueOf(wrong.getMessage()));
      return List.of();
    }
  }

  private void hosts(Handle handle, PolicyCoverage policies, Planning planning) {
    if (hosts.size() > HOSTS_MAX) {
      fault("TOO_MANY_HOSTS", "hosts", "a rollout has at most " + HOSTS_MAX + " hosts");
      return;
    }
    List<String> names = hosts.stream().distinct().filter(Names::isName).toList();
    Map<String, Known> known = known(handle, names);
    Map<String, ? extends Set<String>> uncovered = policies.applicationsWithoutPolicy(names);
    Map<String, ? extends Set<String>> forbidding =
        MODES.contains(submission.mode())
            ? policies.forbidding(names, submission.mode())
            : Map.of();
    Map<String, String> alike = Alike.to(handle, without(hosts, known));
    Map<String, String> older =
        back || release.isEmpty() ? Map.of() : OlderRelease.of(handle, release.get(), names);
    planned = planning.plan(names.stream().filter(known::containsKey).toList());
    Map<String, Integer> first = new HashMap<>();
    for (int i = 0; i < hosts.size(); i++) {
      String host = hosts.get(i);
      Integer earlier = first.putIfAbsent(host, i);
      if (earlier != null) {
        fault(
            "DUPLICATE_HOST",
            at(i),
            FreeText.shown(host) + " is named already, in hosts[" + earlier + "]");
      } else {
        if (alike.containsKey(host)) {
          fault("UNKNOWN_HOST", at(i), unknown(host) + ": did you mean " + alike.get(host) + "?");
          continue;
        }
        judge(at(i), host, known.get(host), uncovered.get(host));
        if (older.containsKey(host)) {
          fault("OLDER_RELEASE", at(i), host + " " + older.get(host));
        }
        forbidden(at(i), host, forbidding.get(host));
        for (String reason : planned.infeasible().getOrDefault(host, List.of())) {
          fault(INFEASIBLE, at(i), host + " could never be granted: " + reason);
          infeasible.add(faults.getLast());
          refused.merge(host, reason, (one, other) -> one + "; " + other);
        }
      }
    }
  }

  private void judge(
      String path, String host, @Nullable Known known, @Nullable Set<String> uncovered) {
    if (known == null) {
      fault("UNKNOWN_HOST", path, unknown(host));
      return;
    }
    if (!known.present()) {
      fault(
          "VANISHED_HOST", path, FreeText.shown(host) + " vanished from the reports of its source");
      return;
    }
    release.ifPresent(
        wanted -> {
          channel(path, host, known.family(), wanted);
          image(path, host, known.family(), wanted);
        });
    if (uncovered != null) {
      for (String application : uncovered) {
        String reason =
            "application " + application + " on " + host + " has no policy; apply one first";
        fault("NO_POLICY", path, reason);
        refused.merge(host, reason, (one, other) -> one + "; " + other);
      }
    }
  }

  private static String unknown(String host) {
    return "no source reports a host named " + FreeText.shown(host);
  }

  private static List<String> without(List<String> hosts, Map<String, Known> known) {
    return hosts.stream().filter(host -> !known.containsKey(host)).toList();
  }

  private void forbidden(String path, String host, @Nullable Set<String> policies) {
    if (policies == null) {
      return;
    }
    String reason =
        "%s is not among spec.modes of policy %s; choose another mode, or leave the host out"
            .formatted(submission.mode(), String.join(", ", new TreeSet<>(policies)));
    fault("MODE_FORBIDDEN", path, host + ": " + reason);
    refused.merge(host, reason, (one, other) -> one + "; " + other);
  }

  /** A host gets its packages from the channel of its family; a release need not have both. */
  private void channel(String path, String host, String family, Release wanted) {
    String field = family.equals("dnf") ? "dnfChannel" : "channel";
    boolean there = family.equals("dnf") ? wanted.hasDnfChannel() : !wanted.getChannel().isEmpty();
    if (!FAMILIES.contains(family)) {
      fault(
          "UNKNOWN_FAMILY",
          path,
          "the label os-family of %s is %s; it must be one of %s"
              .formatted(host, FreeText.shown(family), FAMILIES));
    } else if (!there) {
      fault(
          "NO_CHANNEL",
          path,
          "%s is of family %s, and release %s has no %s; submit a release that has one"
              .formatted(host, family, wanted.getName(), field));
    }
  }

  /** A host that is re-imaged needs the image of its family. */
  private void image(String path, String host, String family, Release wanted) {
    if (submission.mode().equals(RolloutMode.Reimage.name())
        && FAMILIES.contains(family)
        && !wanted.getImages().containsKey(family)) {
      fault(
          "NO_IMAGE",
          path,
          "%s is of family %s, and release %s has no image for it; submit a release that has one"
              .formatted(host, family, wanted.getName()));
    }
  }

  /**
   * A host of the inventory.
   *
   * @param present whether its source still reports it
   * @param family its package family, by its label
   */
  private record Known(boolean present, String family) {}

  private static Map<String, Known> known(Handle handle, List<String> names) {
    Map<String, Known> known = new HashMap<>();
    handle
        .createQuery(
            """
            SELECT name, vanished_at IS NULL AS present,
                   COALESCE(labels->>'os-family', 'apt') AS family
            FROM hosts WHERE name = ANY(:names)
            """)
        .bindArray("names", String.class, names)
        .map(
            (row, context) ->
                Map.entry(
                    row.getString("name"),
                    new Known(row.getBoolean("present"), row.getString("family"))))
        .forEach(entry -> known.put(entry.getKey(), entry.getValue()));
    return known;
  }

  private void fault(String code, String path, String message) {
    codes.add(code);
    faults.add(ApiException.detail(path, message));
  }

  private static String at(int index) {
    return "hosts[" + index + "]";
  }
}
