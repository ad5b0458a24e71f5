package dev.drydock.auditor.core;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * I8, told a second time from jobs and the lock history. Of a grant that ended:
 *
 * <ol>
 *   <li>Each host that was stopped was started again, each that was cordoned was let go, and each
 *       that can be neither is quarantined.
 *   <li>What hooks began was taken back if the batch went back, and nothing else.
 *   <li>Nothing was brought back on a host where nothing had been done.
 *   <li>Its hold ended on each host but those it left in quarantine.
 * </ol>
 *
 * Of one that came to nothing: no host was ever locked or worked on.
 */
final class UndoCheck implements InvariantCheck {
  private static final Set<String> UNDOES = Set.of("Recover", "Uncordon");

  /** How far the lock history may be behind before what it does not tell is missing. */
  private static final Duration BEHIND_MAX = Duration.ofMinutes(5);

  private final AuditedRollout auditedRollout;
  private final FindingCounter findingCounter = new FindingCounter(Invariant.I8);

  UndoCheck(AuditedRollout auditedRollout) {
    this.auditedRollout = auditedRollout;
    auditedRollout.lockGaps().forEach(findingCounter::unknown);
    auditedRollout.eventGaps().forEach(findingCounter::unknown);
  }

  @Override
  public void look(LogPage logPage) {
    Map<String, List<LoggedJob>> jobs = logPage.jobsByGrant();
    Map<String, List<LockEntry>> holds = logPage.entriesByLock();
    Map<String, Set<String>> quarantined = new java.util.HashMap<>();
    for (LoggedEvent loggedEvent : logPage.events()) {
      if (loggedEvent.kind().equals("HostQuarantined")) {
        quarantined
            .computeIfAbsent(loggedEvent.grant(), _ -> new HashSet<>())
            .add(loggedEvent.host());
      }
    }
    for (LoggedGrant loggedGrant : logPage.grants()) {
      List<LoggedJob> ofGrant = jobs.getOrDefault(loggedGrant.id(), List.of());
      List<LockEntry> hold = holds.getOrDefault(loggedGrant.id(), List.of());
      if (loggedGrant.state().equals("void")) {
        findingCounter.judged();
        cameToNothing(loggedGrant, ofGrant, hold);
      } else if (loggedGrant.state().equals("ended")) {
        findingCounter.judged();
        Set<String> left = quarantined.getOrDefault(loggedGrant.id(), Set.of());
        hooksTakenBack(logPage, loggedGrant, ofGrant, left);
        Map<String, List<LoggedJob>> byHost = LogPage.by(ofGrant, LoggedJob::host);
        for (String host : loggedGrant.hosts()) {
          if (!left.contains(host)) {
            broughtBack(loggedGrant, host, byHost.getOrDefault(host, List.of()));
            holdEnded(loggedGrant, host, hold);
          }
        }
        logPage.untoldHold(loggedGrant).ifPresent(findingCounter::unknown);
      }
    }
  }

  /** Of a batch that went back: what its hooks did, all of it, and nothing else. */
  private void hooksTakenBack(
      LogPage logPage, LoggedGrant loggedGrant, List<LoggedJob> jobs, Set<String> quarantined) {
    for (LoggedHook post : logPage.hooks()) {
      if (!post.grant().equals(loggedGrant.id())) {
        continue;
      }
      boolean begun = post.pre().filter(pre -> given(jobs, "Hook", pre)).isPresent();
      boolean takenBack = given(jobs, "Unhook", post.number());
      boolean back =
          jobs.stream()
              .anyMatch(
                  job -> job.step().equals("Unhook") && job.hook() == post.number() && job.done());
      if (takenBack && !begun) {
        violated(
            loggedGrant.object(),
            "%s took back what no hook had done".formatted(post.says()),
            loggedGrant.object());
      }
      boolean due =
          loggedGrant.undo().isPresent()
              && post.hosts().stream().anyMatch(host -> !quarantined.contains(host));
      if (due && begun && !back) {
        violated(
            loggedGrant.object(),
            "it ended, but %s did not take back what its pre hook had begun".formatted(post.says()),
            loggedGrant.object());
      }
    }
  }

  private static boolean given(List<LoggedJob> jobs, String step, int hook) {
    return jobs.stream()
        .anyMatch(job -> job.step().equals(step) && job.hook() == hook && job.given());
  }

  private void cameToNothing(LoggedGrant loggedGrant, List<LoggedJob> jobs, List<LockEntry> hold) {
    hold.stream()
        .filter(entry -> entry.what().equals("Granted"))
        .findFirst()
        .ifPresent(
            entry ->
                violated(
                    loggedGrant.object(),
                    "it came to nothing, but its hosts were locked",
                    entry.row()));
    jobs.stream()
        .filter(LoggedJob::given)
        .findFirst()
        .ifPresent(
            job ->
                violated(
                    loggedGrant.object(),
                    "it came to nothing, but work on it was given out",
                    job.row()));
  }

  private void broughtBack(LoggedGrant loggedGrant, String host, List<LoggedJob> jobs) {
    if (!auditedRollout.eventGaps().isEmpty()) {
      return; // Some of the work may be told of nowhere.
    }
    Optional<LoggedJob> stopped = last(jobs, Set.of("Drain"));
    Optional<LoggedJob> cordoned = last(jobs, Set.of("Cordon")).filter(LoggedJob::mayHaveBegun);
    Optional<LoggedJob> undone = last(jobs, UNDOES);
    String where = "host/" + host;
    if (stopped.isPresent()) {
      Optional<LoggedJob> started = last(jobs, Set.of("Recover")).filter(LoggedJob::done);
      if (started.filter(job -> job.round() > stopped.get().round()).isEmpty()) {
        violated(
            where,
            "%s ended, but what it stopped was not started again".formatted(loggedGrant.id()),
            stopped.get().row());
      }
    } else if (cordoned.isPresent()) {
      if (undone.filter(LoggedJob::done).isEmpty()) {
        violated(
            where,
            "%s ended, but it still keeps new work away".formatted(loggedGrant.id()),
            cordoned.get().row());
      }
    } else if (undone.isPresent() && !loggedGrant.blind()) {
      violated(
          where, "%s undid what it had not done".formatted(loggedGrant.id()), undone.get().row());
    }
  }

  /** The last round that was given to a consumer: one that was not has done nothing. */
  private static Optional<LoggedJob> last(List<LoggedJob> jobs, Set<String> steps) {
    return jobs.stream()
        .filter(job -> job.given() && steps.contains(job.step()))
        .max(Comparator.comparingInt(LoggedJob::round));
  }

  private void holdEnded(LoggedGrant loggedGrant, String host, List<LockEntry> hold) {
    boolean ended =
        hold.stream()
            .anyMatch(entry -> entry.what().equals("Ended") && entry.hosts().contains(host));
    if (ended || !auditedRollout.lockGaps().isEmpty()) {
      return;
    }
    boolean late =
        loggedGrant.holdEndedAt().isEmpty()
            && loggedGrant
                .endedAt()
                .filter(at -> at.plus(BEHIND_MAX).isBefore(auditedRollout.readAt()))
                .isPresent();
    if (late) {
      violated(
          "host/" + host,
          "%s ended, but its hold did not".formatted(loggedGrant.id()),
          "grants %s: ended at %s, its hold never"
              .formatted(
                  loggedGrant.id(), loggedGrant.endedAt().map(Object::toString).orElse("?")));
    } else {
      findingCounter.unknown(
          "the lock history does not tell yet that the hold of %s on %s ended"
              .formatted(loggedGrant.id(), host));
    }
  }

  private void violated(String object, String says, String row) {
    findingCounter.violated(new FindingDetail(object, Optional.empty(), says, List.of(row)));
  }

  @Override
  public Finding finding() {
    return findingCounter.finding();
  }
}
