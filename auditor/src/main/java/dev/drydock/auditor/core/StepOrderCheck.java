package dev.drydock.auditor.core;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * I5, told from the order in which events of a host were written:
 *
 * <ol>
 *   <li>Before an upgrade is given out, a drain under the same grant was done.
 *   <li>Before a recover is given out, health passed since the host was last changed or started
 *       anew, unless the batch had turned back and the host had not been given to be upgraded, or
 *       had been read since: nothing was begun there.
 *   <li>Before a host is told to be upgraded or needless, its recovery or its reading was done; and
 *       before one is told to be given back, what undid the work on it was.
 *   <li>Hooks are given out in their stages and orders: {@link HookOrderCheck}.
 *   <li>Before a hold ended on a host, its end was told.
 * </ol>
 */
final class StepOrderCheck implements InvariantCheck {
  private static final Set<String> GIVEN_BACK =
      Set.of("HostUpgraded", "HostSkipped", "HostReverted", "HostRequeued", "HostCancelled");

  private final boolean eventsKept;
  private final FindingCounter findingCounter = new FindingCounter(Invariant.I5);

  StepOrderCheck(AuditedRollout auditedRollout) {
    eventsKept = auditedRollout.eventGaps().isEmpty();
    auditedRollout.eventGaps().forEach(findingCounter::unknown);
    auditedRollout.lockGaps().forEach(findingCounter::unknown);
  }

  /** What was logged of one host under one grant. */
  private record Course(
      LoggedGrant grant, String host, Map<String, LoggedJob> jobs, List<LoggedEvent> events) {

    /** The events before this one that tell of such a step. */
    boolean done(String step, LoggedEvent before) {
      return doneSince(step, 0, before);
    }

    /** The same, told after whatever changed the host before this event was given out. */
    boolean doneSinceChanged(String step, LoggedEvent before) {
      long changed =
          events.stream()
              .filter(
                  loggedEvent ->
                      loggedEvent.id() < before.id() && loggedEvent.kind().equals("JobClaimed"))
              .filter(loggedEvent -> job(loggedEvent).filter(LoggedJob::changesSystem).isPresent())
              .mapToLong(LoggedEvent::id)
              .max()
              .orElse(0);
      return doneSince(step, changed, before);
    }

    /**
     * Whether somebody had been given an upgrade of the host, and nobody read there since that
     * nothing was begun.
     */
    boolean upgradeGiven(LoggedEvent before) {
      long untouched =
          events.stream()
              .filter(
                  loggedEvent ->
                      loggedEvent.id() < before.id() && !loggedEvent.kind().equals("JobClaimed"))
              .filter(
                  loggedEvent ->
                      job(loggedEvent).flatMap(LoggedJob::begun).equals(Optional.of(false)))
              .mapToLong(LoggedEvent::id)
              .max()
              .orElse(0);
      return events.stream()
          .filter(loggedEvent -> loggedEvent.id() > untouched && loggedEvent.id() < before.id())
          .filter(loggedEvent -> loggedEvent.kind().equals("JobClaimed"))
          .anyMatch(loggedEvent -> job(loggedEvent).filter(LoggedJob::upgrades).isPresent());
    }

    private boolean doneSince(String step, long since, LoggedEvent before) {
      return events.stream()
          .anyMatch(
              loggedEvent ->
                  loggedEvent.id() > since
                      && loggedEvent.id() < before.id()
                      && loggedEvent.kind().equals("JobDone")
                      && step(loggedEvent).equals(step));
    }

    boolean given(String step) {
      return jobs.values().stream().anyMatch(job -> job.step().equals(step) && job.given());
    }

    boolean mayHaveBegun(String step) {
      return jobs.values().stream().anyMatch(job -> job.step().equals(step) && job.mayHaveBegun());
    }

    /** Empty for an event of no job. */
    String step(LoggedEvent loggedEvent) {
      return job(loggedEvent).map(LoggedJob::step).orElse("");
    }

    Optional<LoggedJob> job(LoggedEvent loggedEvent) {
      return Optional.ofNullable(jobs.get(loggedEvent.job()));
    }
  }

  @Override
  public void look(LogPage logPage) {
    if (!eventsKept) {
      return;
    }
    Map<String, List<LoggedJob>> jobs = logPage.jobsByGrant();
    Map<String, List<LockEntry>> holds = logPage.entriesByLock();
    Map<String, List<LoggedEvent>> events = LogPage.by(logPage.events(), LoggedEvent::host);
    Map<String, List<LoggedEvent>> eventsOfJobs = logPage.eventsByJob();
    for (LoggedGrant grant : logPage.grants()) {
      HookOrderCheck hooks =
          new HookOrderCheck(
              logPage,
              grant,
              jobs.getOrDefault(grant.id(), List.of()),
              eventsOfJobs,
              findingCounter);
      Map<String, List<LoggedJob>> ofGrant =
          LogPage.by(jobs.getOrDefault(grant.id(), List.of()), LoggedJob::host);
      for (String host : grant.hosts()) {
        Map<String, LoggedJob> byId = new HashMap<>();
        ofGrant.getOrDefault(host, List.of()).forEach(job -> byId.put(job.id(), job));
        List<LoggedEvent> own =
            events.getOrDefault(host, List.of()).stream()
                .filter(
                    loggedEvent ->
                        loggedEvent.grant().equals(grant.id())
                            || byId.containsKey(loggedEvent.job()))
                .toList();
        Course course = new Course(grant, host, byId, own);
        own.forEach(loggedEvent -> event(course, loggedEvent));
        hooks.look(host, own);
        holds.getOrDefault(grant.id(), List.of()).stream()
            .filter(entry -> entry.what().equals("Ended") && entry.hosts().contains(host))
            .findFirst()
            .ifPresent(end -> holdEnded(course, end));
      }
    }
  }

  private void event(Course course, LoggedEvent loggedEvent) {
    if (loggedEvent.kind().equals("JobClaimed")) {
      claimed(course, loggedEvent);
    } else if (GIVEN_BACK.contains(loggedEvent.kind())) {
      findingCounter.judged();
      unverified(course, loggedEvent)
          .ifPresent(
              step -> violated(course, loggedEvent, "it was told to be done though " + step));
    }
  }

  private void claimed(Course course, LoggedEvent claim) {
    String step = course.step(claim);
    if (course.job(claim).filter(LoggedJob::upgrades).isPresent()) {
      findingCounter.judged();
      if (!course.done("Drain", claim)) {
        violated(course, claim, step + " was given out before its drain was done");
      }
    } else if (step.equals("Recover")
        && (course.grant().undo().isEmpty() || course.upgradeGiven(claim))) {
      findingCounter.judged();
      if (!course.doneSinceChanged("Health", claim)) {
        violated(course, claim, "Recover was given out before its health passed");
      }
    }
  }

  /** What was not done before a host was told to be given back. */
  private static Optional<String> unverified(Course course, LoggedEvent told) {
    String step =
        switch (told.kind()) {
          case "HostUpgraded" -> "Recover";
          case "HostSkipped" -> "Verify";
          default ->
              course.given("Drain") ? "Recover" : course.mayHaveBegun("Cordon") ? "Uncordon" : "";
        };
    return step.isEmpty() || course.done(step, told)
        ? Optional.empty()
        : Optional.of(step + " was not");
  }

  private void holdEnded(Course course, LockEntry end) {
    findingCounter.judged();
    Predicate<LoggedEvent> ends =
        loggedEvent ->
            GIVEN_BACK.contains(loggedEvent.kind()) || loggedEvent.kind().equals("HostQuarantined");
    Optional<LoggedEvent> told = course.events().stream().filter(ends).findFirst();
    // The history is written after what it tells of: no hold ended after its row was written.
    if (told.isEmpty() || end.before(told.get())) {
      findingCounter.violated(
          new FindingDetail(
              "host/" + course.host(),
              Optional.of(end.at()),
              "the hold of %s was ended by %s before its recovery was verified or it was quarantined"
                  .formatted(course.grant().id(), end.by().isEmpty() ? "nobody" : end.by()),
              told.map(loggedEvent -> List.of(end.row(), loggedEvent.row()))
                  .orElse(List.of(end.row()))));
    }
  }

  private void violated(Course course, LoggedEvent loggedEvent, String why) {
    findingCounter.violated(
        new FindingDetail(
            "host/" + course.host(),
            Optional.of(loggedEvent.at()),
            why + ", under " + course.grant().id(),
            List.of(loggedEvent.row())));
  }

  @Override
  public Finding finding() {
    return findingCounter.finding();
  }
}
