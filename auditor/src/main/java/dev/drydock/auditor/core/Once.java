package dev.drydock.auditor.core;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * I6, told a second time from the events of each job:
 *
 * <ol>
 *   <li>It is given to one consumer after the other: the next only after the one before lost it,
 *       and nobody after it ended.
 *   <li>It ends at most once, in the state its row has, and was given out as often as its row says.
 *   <li>A new round of a step begins only after the last one ended.
 * </ol>
 */
final class Once implements Check {
  private static final Set<String> ENDS =
      Set.of("JobDone", "JobFailed", "JobUnknown", "JobExpired", "JobWaited", "JobVetoed");
  private static final String PUBLISHED = "JobPublished";
  private static final Set<String> LIVE = Set.of("Pending", "Claimed");

  private final boolean eventsKept;
  private final Tally tally = new Tally(Invariant.I6);

  Once(Rollout rollout) {
    eventsKept = rollout.eventGaps().isEmpty();
    rollout.eventGaps().forEach(tally::unknown);
  }

  @Override
  public void look(Page page) {
    if (!eventsKept) {
      return;
    }
    Map<String, List<Event>> events = page.eventsByJob();
    Set<String> grants = page.grants().stream().map(Grant::id).collect(Collectors.toSet());
    List<Job> jobs = page.jobs().stream().filter(job -> grants.contains(job.grant())).toList();
    for (Job job : jobs) {
      tally.judged();
      course(job, events.getOrDefault(job.id(), List.of()));
    }
    Page.by(jobs, job -> job.grant() + " " + job.step() + " " + job.host() + " " + job.hook())
        .values()
        .forEach(all -> rounds(all, events));
  }

  /** One job from its publication to its end. */
  private void course(Job job, List<Event> events) {
    Optional<Event> holder = Optional.empty();
    Optional<Event> end = Optional.empty();
    int given = 0;
    for (Event event : events) {
      if (event.kind().equals("JobClaimed")) {
        given++;
        if (end.isPresent()) {
          violated(job, event, end.get(), "it was given out again after it had ended");
        } else if (holder.isPresent()) {
          violated(
              job, event, holder.get(), "it was given to a second consumer while the first had it");
        }
        holder = Optional.of(event);
      } else if (event.kind().equals("JobClaimLost")) {
        holder = Optional.empty();
      } else if (ENDS.contains(event.kind())) {
        if (end.isPresent()) {
          violated(job, event, end.get(), "it ended twice");
        }
        end = Optional.of(event);
      }
    }
    row(job, given, end);
  }

  private void row(Job job, int given, Optional<Event> end) {
    if (given != job.attempt()) {
      violated(
          job,
          "its row says that it was given out %d times, its events tell of %d"
              .formatted(job.attempt(), given));
    }
    String told = end.map(event -> event.kind().substring("Job".length())).orElse("");
    boolean silent = job.state().equals("Cancelled") || LIVE.contains(job.state());
    if (silent ? !told.isEmpty() : !told.equals(job.state())) {
      violated(
          job,
          "its row says %s, its events %s"
              .formatted(job.state(), told.isEmpty() ? "that it did not end" : told));
    }
  }

  private void rounds(List<Job> all, Map<String, List<Event>> events) {
    List<Job> rounds = all.stream().sorted(Comparator.comparingInt(Job::round)).toList();
    for (int i = 1; i < rounds.size(); i++) {
      Job before = rounds.get(i - 1);
      Job next = rounds.get(i);
      long published = first(events, next, PUBLISHED::equals);
      boolean later = published != 0 && first(events, before, ENDS::contains) > published;
      if (LIVE.contains(before.state()) || before.endedAt().isEmpty() || later) {
        violated(
            next,
            "it was published while round %d of the same step had not ended"
                .formatted(before.round()));
      }
    }
  }

  /**
   * The first event of the job that is one of these; 0 if it has none, as one that is cancelled.
   */
  private static long first(Map<String, List<Event>> events, Job job, Predicate<String> kinds) {
    return events.getOrDefault(job.id(), List.of()).stream()
        .filter(event -> kinds.test(event.kind()))
        .mapToLong(Event::id)
        .min()
        .orElse(0);
  }

  private void violated(Job job, String says) {
    tally.violated(
        new Exhibit("job/" + job.id(), Optional.of(job.createdAt()), says, List.of(job.row())));
  }

  private void violated(Job job, Event event, Event before, String says) {
    tally.violated(
        new Exhibit(
            "job/" + job.id(), Optional.of(event.at()), says, List.of(before.row(), event.row())));
  }

  @Override
  public Finding finding() {
    return tally.finding();
  }
}
