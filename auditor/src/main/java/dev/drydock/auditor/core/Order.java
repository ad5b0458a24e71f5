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
 *   <li>Hooks are given out in their stages and orders: {@link HookOrder}.
 *   <li>Before a hold ended on a host, its end was told.
 * </ol>
 */
final class Order implements Check {
  private static final Set<String> GIVEN_BACK =
      Set.of("HostUpgraded", "HostSkipped", "HostReverted", "HostHeld", "HostCancelled");

  private final boolean eventsKept;
  private final Tally tally = new Tally(Invariant.I5);

  Order(Rollout rollout) {
    eventsKept = rollout.eventGaps().isEmpty();
    rollout.eventGaps().forEach(tally::unknown);
    rollout.lockGaps().forEach(tally::unknown);
  }

  /** What was logged of one host under one grant. */
  private record Course(Grant grant, String host, Map<String, Job> jobs, List<Event> events) {

    /** The events before this one that tell of such a step. */
    boolean done(String step, Event before) {
      return doneSince(step, 0, before);
    }

    /** The same, told after whatever changed the host before this event was given out. */
    boolean doneSinceChanged(String step, Event before) {
      long changed =
          events.stream()
              .filter(event -> event.id() < before.id() && event.kind().equals("JobClaimed"))
              .filter(event -> job(event).filter(Job::changesSystem).isPresent())
              .mapToLong(Event::id)
              .max()
              .orElse(0);
      return doneSince(step, changed, before);
    }

    /**
     * Whether somebody had been given an upgrade of the host, and nobody read there since that
     * nothing was begun.
     */
    boolean upgradeGiven(Event before) {
      long untouched =
          events.stream()
              .filter(event -> event.id() < before.id() && !event.kind().equals("JobClaimed"))
              .filter(event -> job(event).flatMap(Job::begun).equals(Optional.of(false)))
              .mapToLong(Event::id)
              .max()
              .orElse(0);
      return events.stream()
          .filter(event -> event.id() > untouched && event.id() < before.id())
          .filter(event -> event.kind().equals("JobClaimed"))
          .anyMatch(event -> job(event).filter(Job::upgrades).isPresent());
    }

    private boolean doneSince(String step, long since, Event before) {
      return events.stream()
          .anyMatch(
              event ->
                  event.id() > since
                      && event.id() < before.id()
                      && event.kind().equals("JobDone")
                      && step(event).equals(step));
    }

    boolean given(String step) {
      return jobs.values().stream().anyMatch(job -> job.step().equals(step) && job.given());
    }

    boolean mayHaveBegun(String step) {
      return jobs.values().stream().anyMatch(job -> job.step().equals(step) && job.mayHaveBegun());
    }

    /** Empty for an event of no job. */
    String step(Event event) {
      return job(event).map(Job::step).orElse("");
    }

    Optional<Job> job(Event event) {
      return Optional.ofNullable(jobs.get(event.job()));
    }
  }

  @Override
  public void look(Page page) {
    if (!eventsKept) {
      return;
    }
    Map<String, List<Job>> jobs = page.jobsByGrant();
    Map<String, List<LockEntry>> holds = page.entriesByLock();
    Map<String, List<Event>> events = Page.by(page.events(), Event::host);
    Map<String, List<Event>> eventsOfJobs = page.eventsByJob();
    for (Grant grant : page.grants()) {
      HookOrder hooks =
          new HookOrder(page, grant, jobs.getOrDefault(grant.id(), List.of()), eventsOfJobs, tally);
      Map<String, List<Job>> ofGrant = Page.by(jobs.getOrDefault(grant.id(), List.of()), Job::host);
      for (String host : grant.hosts()) {
        Map<String, Job> byId = new HashMap<>();
        ofGrant.getOrDefault(host, List.of()).forEach(job -> byId.put(job.id(), job));
        List<Event> own =
            events.getOrDefault(host, List.of()).stream()
                .filter(event -> event.grant().equals(grant.id()) || byId.containsKey(event.job()))
                .toList();
        Course course = new Course(grant, host, byId, own);
        own.forEach(event -> event(course, event));
        hooks.look(host, own);
        holds.getOrDefault(grant.id(), List.of()).stream()
            .filter(entry -> entry.what().equals("Ended") && entry.hosts().contains(host))
            .findFirst()
            .ifPresent(end -> holdEnded(course, end));
      }
    }
  }

  private void event(Course course, Event event) {
    if (event.kind().equals("JobClaimed")) {
      claimed(course, event);
    } else if (GIVEN_BACK.contains(event.kind())) {
      tally.judged();
      unverified(course, event)
          .ifPresent(step -> violated(course, event, "it was told to be done though " + step));
    }
  }

  private void claimed(Course course, Event claim) {
    String step = course.step(claim);
    if (course.job(claim).filter(Job::upgrades).isPresent()) {
      tally.judged();
      if (!course.done("Drain", claim)) {
        violated(course, claim, step + " was given out before its drain was done");
      }
    } else if (step.equals("Recover")
        && (course.grant().undo().isEmpty() || course.upgradeGiven(claim))) {
      tally.judged();
      if (!course.doneSinceChanged("Health", claim)) {
        violated(course, claim, "Recover was given out before its health passed");
      }
    }
  }

  /** What was not done before a host was told to be given back. */
  private static Optional<String> unverified(Course course, Event told) {
    String step =
        switch (told.kind()) {
          case "HostUpgraded" -> "Recover";
          case "HostSkipped" -> "Verify";
          default ->
              course.given("Drain") ? "Recover" : course.mayHaveBegun("Freeze") ? "Unfreeze" : "";
        };
    return step.isEmpty() || course.done(step, told)
        ? Optional.empty()
        : Optional.of(step + " was not");
  }

  private void holdEnded(Course course, LockEntry end) {
    tally.judged();
    Predicate<Event> ends =
        event -> GIVEN_BACK.contains(event.kind()) || event.kind().equals("HostQuarantined");
    Optional<Event> told = course.events().stream().filter(ends).findFirst();
    // The history is written after what it tells of: no hold ended after its row was written.
    if (told.isEmpty() || end.before(told.get())) {
      tally.violated(
          new Exhibit(
              "host/" + course.host(),
              Optional.of(end.at()),
              "the hold of %s was ended by %s before its recovery was verified or it was quarantined"
                  .formatted(course.grant().id(), end.by().isEmpty() ? "nobody" : end.by()),
              told.map(event -> List.of(end.row(), event.row())).orElse(List.of(end.row()))));
    }
  }

  private void violated(Course course, Event event, String why) {
    tally.violated(
        new Exhibit(
            "host/" + course.host(),
            Optional.of(event.at()),
            why + ", under " + course.grant().id(),
            List.of(event.row())));
  }

  @Override
  public Finding finding() {
    return tally.finding();
  }
}
