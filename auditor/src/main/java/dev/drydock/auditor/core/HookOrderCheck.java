package dev.drydock.auditor.core;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The part of I5 that is about hooks, told from the order in which events were written. Of each
 * host a hook was told:
 *
 * <ol>
 *   <li>A hook is given out in its stage: before the drain, after it, after health or, on the way
 *       back, before the recovery, and after that.
 *   <li>The next step is given out, or the host is told to be upgraded, only when the hooks of the
 *       stage before are done.
 *   <li>Within a stage, only when those of the orders before are done: from the lowest to the
 *       highest in pre hooks, back in post hooks. On the way back only those count whose pre hook
 *       was given out.
 * </ol>
 */
final class HookOrderCheck {
  /** What comes after a stage. */
  private static final Map<String, String> STAGE_BEFORE =
      Map.of("Drain", "BeforeUndeploy", "Update", "AfterUndeploy", "Recover", "BeforeDeploy");

  private final LoggedGrant loggedGrant;
  private final List<LoggedJob> jobs;
  private final List<LoggedHook> hooks;
  private final Map<String, List<LoggedEvent>> events;
  private final FindingCounter findingCounter;

  /** Of one grant with its hooks and jobs, and the events of jobs by the job's id. */
  HookOrderCheck(
      LogPage logPage,
      LoggedGrant loggedGrant,
      List<LoggedJob> jobs,
      Map<String, List<LoggedEvent>> events,
      FindingCounter findingCounter) {
    this.loggedGrant = loggedGrant;
    this.jobs = jobs;
    this.hooks =
        logPage.hooks().stream()
            .filter(loggedHook -> loggedHook.grant().equals(loggedGrant.id()))
            .toList();
    this.events = events;
    this.findingCounter = findingCounter;
  }

  void look(String host, List<LoggedEvent> told) {
    if (hooks.isEmpty()) {
      return;
    }
    for (LoggedJob loggedJob : jobs) {
      if (loggedJob.about().contains(host)) {
        claims(loggedJob).forEach(claim -> claimed(host, loggedJob, claim));
      }
    }
    told.stream()
        .filter(loggedEvent -> loggedEvent.kind().equals("HostUpgraded"))
        .forEach(
            loggedEvent -> ended(host, "AfterDeploy", loggedEvent, "it was told to be upgraded"));
  }

  private List<LoggedEvent> claims(LoggedJob loggedJob) {
    return of(loggedJob).filter(loggedEvent -> loggedEvent.kind().equals("JobClaimed")).toList();
  }

  private Stream<LoggedEvent> of(LoggedJob loggedJob) {
    return events.getOrDefault(loggedJob.id(), List.of()).stream();
  }

  private void claimed(String host, LoggedJob loggedJob, LoggedEvent claim) {
    if (loggedJob.hook() != 0) {
      findingCounter.judged();
      LoggedHook loggedHook = hook(loggedJob.hook());
      misplaced(host, loggedJob, loggedHook, claim)
          .or(() -> early(host, loggedJob, loggedHook, claim))
          .ifPresent(why -> violated(host, claim, loggedHook.says() + " was given out " + why));
      return;
    }
    String stage = STAGE_BEFORE.get(loggedJob.step());
    if (stage != null && (loggedGrant.undo().isEmpty() || !loggedJob.step().equals("Recover"))) {
      ended(host, stage, claim, loggedJob.step() + " was given out");
    }
  }

  /** All hooks of the stage are done before the event. */
  private void ended(String host, String stage, LoggedEvent loggedEvent, String what) {
    for (LoggedHook loggedHook : hooks) {
      if (loggedHook.stage().equals(stage) && loggedHook.hosts().contains(host)) {
        findingCounter.judged();
        if (!done("Hook", loggedHook, loggedEvent)) {
          violated(host, loggedEvent, what + " before " + loggedHook.says() + " was done");
        }
      }
    }
  }

  private Optional<String> misplaced(
      String host, LoggedJob loggedJob, LoggedHook loggedHook, LoggedEvent claim) {
    boolean back = loggedJob.step().equals("Unhook");
    return switch (loggedHook.stage()) {
      case "BeforeUndeploy" -> when(given(host, "Drain", claim), "after the drain had begun");
      case "AfterUndeploy" -> when(!done(host, "Drain", claim), "before the drain was done");
      case "BeforeDeploy" ->
          back
              ? when(given(host, "Recover", claim), "after the recovery had begun")
              : when(!done(host, "Health", claim), "before health had passed");
      default ->
          when(
              !done(host, "Recover", claim) && !(back && done(host, "Uncordon", claim)),
              "before the host was back");
    };
  }

  private static Optional<String> when(boolean so, String why) {
    return so ? Optional.of(why) : Optional.empty();
  }

  private Optional<String> early(
      String host, LoggedJob loggedJob, LoggedHook loggedHook, LoggedEvent claim) {
    Set<Integer> begun = new HashSet<>();
    jobs.stream()
        .filter(one -> one.step().equals("Hook") && one.given())
        .forEach(one -> begun.add(one.hook()));
    Predicate<LoggedHook> counts =
        loggedJob.step().equals("Hook")
            ? _ -> true
            : other -> other.pre().filter(begun::contains).isPresent();
    return hooks.stream()
        .filter(other -> other.stage().equals(loggedHook.stage()) && other.hosts().contains(host))
        .filter(other -> other.precedes(loggedHook) && counts.test(other))
        .filter(other -> !done(loggedJob.step(), other, claim))
        .findFirst()
        .map(other -> "before " + other.says() + " was done, which comes first");
  }

  private LoggedHook hook(int number) {
    return hooks.stream()
        .filter(loggedHook -> loggedHook.number() == number)
        .findFirst()
        .orElseThrow();
  }

  private boolean done(String step, LoggedHook loggedHook, LoggedEvent before) {
    return jobs.stream()
        .filter(
            loggedJob -> loggedJob.hook() == loggedHook.number() && loggedJob.step().equals(step))
        .anyMatch(loggedJob -> ended(loggedJob, before));
  }

  private boolean done(String host, String step, LoggedEvent before) {
    return jobs.stream()
        .filter(loggedJob -> loggedJob.step().equals(step) && loggedJob.host().equals(host))
        .anyMatch(loggedJob -> ended(loggedJob, before));
  }

  private boolean ended(LoggedJob loggedJob, LoggedEvent before) {
    return of(loggedJob)
        .anyMatch(
            loggedEvent -> loggedEvent.kind().equals("JobDone") && loggedEvent.id() < before.id());
  }

  private boolean given(String host, String step, LoggedEvent before) {
    return jobs.stream()
        .filter(loggedJob -> loggedJob.step().equals(step) && loggedJob.host().equals(host))
        .flatMap(this::of)
        .anyMatch(
            loggedEvent ->
                loggedEvent.kind().equals("JobClaimed") && loggedEvent.id() < before.id());
  }

  private void violated(String host, LoggedEvent loggedEvent, String why) {
    findingCounter.violated(
        new FindingDetail(
            "host/" + host,
            Optional.of(loggedEvent.at()),
            why + ", under " + loggedGrant.id(),
            List.of(loggedEvent.row())));
  }
}
