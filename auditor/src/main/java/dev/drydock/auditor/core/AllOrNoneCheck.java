package dev.drydock.auditor.core;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * I4, told a second time from the lock history and the claims: for each grant of which a host was
 * touched
 *
 * <ol>
 *   <li>all its hosts were locked at one revision of etcd, when each was so first: what is locked
 *       again after a restore is locked host by host;
 *   <li>before the first drain was given out, an open check let the whole batch go.
 * </ol>
 */
final class AllOrNoneCheck implements InvariantCheck {
  private final FindingCounter findingCounter = new FindingCounter(Invariant.I4);
  private final AuditedRollout auditedRollout;
  private final boolean eventsKept;
  private final boolean locksKept;

  AllOrNoneCheck(AuditedRollout auditedRollout) {
    this.auditedRollout = auditedRollout;
    eventsKept = auditedRollout.eventGaps().isEmpty();
    locksKept = auditedRollout.lockGaps().isEmpty();
    auditedRollout.eventGaps().forEach(findingCounter::unknown);
    auditedRollout.lockGaps().forEach(findingCounter::unknown);
  }

  @Override
  public void look(LogPage logPage) {
    Map<String, List<LockEntry>> holds = logPage.entriesByLock();
    Map<String, List<LoggedJob>> jobs = logPage.jobsByGrant();
    Map<String, List<BatchCheck>> checks = LogPage.by(logPage.checks(), BatchCheck::grant);
    Map<String, List<LoggedEvent>> events = logPage.eventsByJob();
    for (LoggedGrant loggedGrant : logPage.grants()) {
      List<LoggedJob> given =
          jobs.getOrDefault(loggedGrant.id(), List.of()).stream().filter(LoggedJob::given).toList();
      if (given.isEmpty()) {
        continue;
      }
      findingCounter.judged();
      logPage
          .untoldHold(loggedGrant)
          .ifPresentOrElse(
              findingCounter::unknown,
              () -> {
                if (!mayBeLost(logPage)) {
                  together(loggedGrant, given, holds.getOrDefault(loggedGrant.id(), List.of()));
                }
              });
      if (eventsKept) {
        opened(loggedGrant, given, checks.getOrDefault(loggedGrant.id(), List.of()), events);
      }
    }
  }

  /** Whether a gap that was noted since its rollout began may hide when hosts were locked first. */
  private boolean mayBeLost(LogPage logPage) {
    return logPage.locks().stream()
        .anyMatch(entry -> entry.what().equals("Gap") && auditedRollout.since(entry));
  }

  private void together(LoggedGrant loggedGrant, List<LoggedJob> given, List<LockEntry> hold) {
    List<LockEntry> granted =
        hold.stream().filter(entry -> entry.what().equals("Granted")).toList();
    if (granted.isEmpty() && !locksKept) {
      return; // It may be among what is gone.
    }
    Set<String> missing = new TreeSet<>(loggedGrant.hosts());
    Set<LockEntry> first = new LinkedHashSet<>();
    for (LockEntry entry : granted) {
      if (missing.removeAll(entry.hosts())) {
        first.add(entry);
      }
    }
    Set<Long> revisions = new TreeSet<>();
    first.forEach(entry -> revisions.add(entry.revision()));
    List<String> evidence =
        Stream.of(
                Stream.of(given.getFirst().row()),
                granted.stream().limit(1).map(LockEntry::row),
                Stream.of(
                    "grants %s: %s, hosts %s"
                        .formatted(loggedGrant.id(), loggedGrant.state(), loggedGrant.hosts())))
            .flatMap(rows -> rows)
            .toList();
    if (!missing.isEmpty()) {
      violated(
          loggedGrant,
          Optional.of(given.getFirst()),
          "%s was touched though %s of its batch was never locked"
              .formatted(given.getFirst().host(), String.join(", ", missing)),
          evidence);
    } else if (revisions.size() > 1) {
      violated(
          loggedGrant,
          Optional.of(given.getFirst()),
          "its hosts were not locked together but at revisions " + revisions,
          first.stream().map(LockEntry::row).toList());
    }
  }

  private void opened(
      LoggedGrant loggedGrant,
      List<LoggedJob> given,
      List<BatchCheck> checks,
      Map<String, List<LoggedEvent>> events) {
    for (LoggedJob drain : given) {
      if (!drain.step().equals("Drain")) {
        continue;
      }
      Optional<LoggedEvent> claim =
          events.getOrDefault(drain.id(), List.of()).stream()
              .filter(event -> event.kind().equals("JobClaimed"))
              .findFirst();
      if (claim.isEmpty()) {
        findingCounter.unknown("no event tells when job " + drain.id() + " was given out");
        continue;
      }
      boolean open =
          checks.stream()
              .filter(BatchCheck::opened)
              .anyMatch(check -> claim.get().id() > check.decided());
      if (!open) {
        violated(
            loggedGrant,
            Optional.of(drain),
            "the drain of %s was given out before an open check let the batch of %d hosts go"
                .formatted(drain.host(), loggedGrant.hosts().size()),
            List.of(
                claim.get().row(), "checks %s: none was open by then".formatted(loggedGrant.id())));
      }
    }
  }

  private void violated(
      LoggedGrant loggedGrant, Optional<LoggedJob> job, String says, List<String> evidence) {
    findingCounter.violated(
        new FindingDetail(loggedGrant.object(), job.map(LoggedJob::createdAt), says, evidence));
  }

  @Override
  public Finding finding() {
    return findingCounter.finding();
  }
}
