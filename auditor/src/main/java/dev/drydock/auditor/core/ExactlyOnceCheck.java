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
final class ExactlyOnceCheck implements InvariantCheck {
  private static final Set<String> ENDS =
      Set.of("JobDone", "JobFailed", "JobUnknown", "JobExpired", "JobWaited", "JobVetoed");
  private static final String PUBLISHED = "JobPublished";
  private static final Set<String> LIVE = Set.of("Pending", "Claimed");

  private final boolean eventsKept;
  private final FindingCounter findingCounter = new FindingCounter(Invariant.I6);

  ExactlyOnceCheck(AuditedRollout auditedRollout) {
    eventsKept = auditedRollout.eventGaps().isEmpty();
    auditedRollout.eventGaps().forEach(findingCounter::unknown);
  }

  @Override
  public void look(LogPage logPage) {
    if (!eventsKept) {
      return;
    }
    Map<String, List<LoggedEvent>> events = logPage.eventsByJob();
    Set<String> grants = logPage.grants().stream().map(LoggedGrant::id).collect(Collectors.toSet());
    List<LoggedJob> jobs =
        logPage.jobs().stream().filter(loggedJob -> grants.contains(loggedJob.grant())).toList();
    for (LoggedJob loggedJob : jobs) {
      findingCounter.judged();
      course(loggedJob, events.getOrDefault(loggedJob.id(), List.of()));
    }
    LogPage.by(
            jobs,
            loggedJob ->
                loggedJob.grant()
                    + " "
                    + loggedJob.step()
                    + " "
                    + loggedJob.host()
                    + " "
                    + loggedJob.hook())
        .values()
        .forEach(all -> rounds(all, events));
  }

  /** One job from its publication to its end. */
  private void course(LoggedJob loggedJob, List<LoggedEvent> events) {
    Optional<LoggedEvent> holder = Optional.empty();
    Optional<LoggedEvent> end = Optional.empty();
    int given = 0;
    for (LoggedEvent loggedEvent : events) {
      if (loggedEvent.kind().equals("JobClaimed")) {
        given++;
        if (end.isPresent()) {
          violated(loggedJob, loggedEvent, end.get(), "it was given out again after it had ended");
        } else if (holder.isPresent()) {
          violated(
              loggedJob,
              loggedEvent,
              holder.get(),
              "it was given to a second consumer while the first had it");
        }
        holder = Optional.of(loggedEvent);
      } else if (loggedEvent.kind().equals("JobClaimLost")) {
        holder = Optional.empty();
      } else if (ENDS.contains(loggedEvent.kind())) {
        if (end.isPresent()) {
          violated(loggedJob, loggedEvent, end.get(), "it ended twice");
        }
        end = Optional.of(loggedEvent);
      }
    }
    row(loggedJob, given, end);
  }

  private void row(LoggedJob loggedJob, int given, Optional<LoggedEvent> end) {
    if (given != loggedJob.attempt()) {
      violated(
          loggedJob,
          "its row says that it was given out %d times, its events tell of %d"
              .formatted(loggedJob.attempt(), given));
    }
    String told = end.map(loggedEvent -> loggedEvent.kind().substring("Job".length())).orElse("");
    boolean silent = loggedJob.state().equals("Cancelled") || LIVE.contains(loggedJob.state());
    if (silent ? !told.isEmpty() : !told.equals(loggedJob.state())) {
      violated(
          loggedJob,
          "its row says %s, its events %s"
              .formatted(loggedJob.state(), told.isEmpty() ? "that it did not end" : told));
    }
  }

  private void rounds(List<LoggedJob> all, Map<String, List<LoggedEvent>> events) {
    List<LoggedJob> rounds =
        all.stream().sorted(Comparator.comparingInt(LoggedJob::round)).toList();
    for (int i = 1; i < rounds.size(); i++) {
      LoggedJob before = rounds.get(i - 1);
      LoggedJob next = rounds.get(i);
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
  private static long first(
      Map<String, List<LoggedEvent>> events, LoggedJob loggedJob, Predicate<String> kinds) {
    return events.getOrDefault(loggedJob.id(), List.of()).stream()
        .filter(loggedEvent -> kinds.test(loggedEvent.kind()))
        .mapToLong(LoggedEvent::id)
        .min()
        .orElse(0);
  }

  private void violated(LoggedJob loggedJob, String says) {
    findingCounter.violated(
        new FindingDetail(
            "job/" + loggedJob.id(),
            Optional.of(loggedJob.createdAt()),
            says,
            List.of(loggedJob.row())));
  }

  private void violated(
      LoggedJob loggedJob, LoggedEvent loggedEvent, LoggedEvent before, String says) {
    findingCounter.violated(
        new FindingDetail(
            "job/" + loggedJob.id(),
            Optional.of(loggedEvent.at()),
            says,
            List.of(before.row(), loggedEvent.row())));
  }

  @Override
  public Finding finding() {
    return findingCounter.finding();
  }
}
