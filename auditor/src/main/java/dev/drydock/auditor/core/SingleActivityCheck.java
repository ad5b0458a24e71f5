package dev.drydock.auditor.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * I2, told a second time from the lock history and the claims:
 *
 * <ol>
 *   <li>On each host locks are followed from grant to end: nobody is granted a host that another
 *       has and whose lock has not lapsed.
 *   <li>Each claim of a job falls between the grant of its hold and the end of that hold on its
 *       host. A host that is locked again under the same grant, as after a restore, is held until
 *       that lock ends.
 *   <li>The tokens given out on a host grow.
 * </ol>
 */
final class SingleActivityCheck implements InvariantCheck {
  private static final Comparator<Token> ORDER =
      Comparator.comparingLong(Token::epoch)
          .thenComparingLong(Token::hold)
          .thenComparingInt(Token::round)
          .thenComparingInt(Token::attempt);

  private final AuditedRollout auditedRollout;
  private final FindingCounter findingCounter = new FindingCounter(Invariant.I2);

  SingleActivityCheck(AuditedRollout auditedRollout) {
    this.auditedRollout = auditedRollout;
    auditedRollout.lockGaps().forEach(findingCounter::unknown);
    auditedRollout.eventGaps().forEach(findingCounter::unknown);
  }

  /** What fences an effect: of two on one host the later has the higher (protocol P9). */
  private record Token(long epoch, long hold, int round, int attempt) {
    @Override
    public String toString() {
      return epoch + "." + hold + "." + round + "." + attempt;
    }
  }

  @Override
  public void look(LogPage logPage) {
    Map<String, List<LockEntry>> byHost = new HashMap<>();
    for (LockEntry entry : logPage.locks()) {
      entry
          .hosts()
          .forEach(host -> byHost.computeIfAbsent(host, _ -> new ArrayList<>()).add(entry));
    }
    logPage
        .hosts()
        .forEach(upgrade -> locks(upgrade.host(), byHost.getOrDefault(upgrade.host(), List.of())));
    Map<String, List<LoggedEvent>> events = logPage.eventsByJob();
    Map<String, List<LockEntry>> entries = logPage.entriesByLock();
    Map<String, List<LoggedJob>> jobs = logPage.jobsByGrant();
    for (LoggedGrant loggedGrant : logPage.grants()) {
      logPage.untoldHold(loggedGrant).ifPresent(findingCounter::unknown);
      for (LoggedJob loggedJob : jobs.getOrDefault(loggedGrant.id(), List.of())) {
        claims(loggedGrant, loggedJob, events, entries.getOrDefault(loggedGrant.id(), List.of()));
      }
    }
    tokens(logPage, events);
  }

  private void locks(String host, List<LockEntry> history) {
    Map<String, LockEntry> holding = new LinkedHashMap<>();
    for (LockEntry entry : history) {
      switch (entry.what()) {
        case "Granted" -> {
          findingCounter.judged();
          holding.values().stream()
              .filter(other -> !other.lock().equals(entry.lock()))
              .findFirst()
              .filter(_ -> auditedRollout.since(entry))
              .ifPresent(other -> findingCounter.violated(two(host, other, entry)));
          holding.put(entry.lock(), entry);
        }
        case "Quarantined" -> holding.putIfAbsent(entry.lock(), entry);
        case "Ended", "Lapsed" -> holding.remove(entry.lock());
        // What was not seen to end may have ended.
        case "Gap" -> holding.clear();
        default -> {}
      }
    }
  }

  private static FindingDetail two(String host, LockEntry first, LockEntry second) {
    return new FindingDetail(
        "host/" + host,
        Optional.of(second.at()),
        "%s was granted to %s while %s had it".formatted(host, second.lock(), first.lock()),
        List.of(first.row(), second.row()));
  }

  private void claims(
      LoggedGrant loggedGrant,
      LoggedJob loggedJob,
      Map<String, List<LoggedEvent>> events,
      List<LockEntry> hold) {
    Optional<LockEntry> end = end(loggedGrant, loggedJob.host(), hold);
    for (LoggedEvent claim : events.getOrDefault(loggedJob.id(), List.of())) {
      if (!claim.kind().equals("JobClaimed")) {
        continue;
      }
      findingCounter.judged();
      // The history is written after what it tells of: before its row is no proof, after it is.
      if (end.isPresent() && end.get().before(claim)) {
        findingCounter.violated(
            new FindingDetail(
                "job/" + loggedJob.id(),
                Optional.of(claim.at()),
                "it was given out after the hold of %s on %s had ended"
                    .formatted(loggedGrant.id(), loggedJob.host()),
                List.of(claim.row(), end.get().row())));
      }
      if (loggedGrant.revision() == 0) {
        findingCounter.violated(
            new FindingDetail(
                "job/" + loggedJob.id(),
                Optional.of(claim.at()),
                "it was given out though the hold of %s is not known to have been committed"
                    .formatted(loggedGrant.id()),
                List.of(
                    claim.row(),
                    "grants %s: %s".formatted(loggedGrant.id(), loggedGrant.state()))));
      }
    }
  }

  /**
   * How its hold on the host ended, unless it was locked again since. That may be written only
   * later: an end of an epoch before the one that the grant is worked in is none of that lock.
   */
  private static Optional<LockEntry> end(
      LoggedGrant loggedGrant, String host, List<LockEntry> hold) {
    Optional<LockEntry> end = Optional.empty();
    for (LockEntry entry : hold) {
      if (!entry.hosts().contains(host)) {
        continue;
      }
      if (entry.what().equals("Granted")) {
        end = Optional.empty();
      } else if (entry.what().equals("Ended") && entry.epoch() >= loggedGrant.epoch()) {
        end = Optional.of(entry);
      }
    }
    return end;
  }

  private void tokens(LogPage logPage, Map<String, List<LoggedEvent>> events) {
    Map<String, LoggedGrant> grants = new HashMap<>();
    logPage.grants().forEach(loggedGrant -> grants.put(loggedGrant.id(), loggedGrant));
    record Given(LoggedEvent claim, Token token) {}
    Map<String, List<Given>> byHost = new HashMap<>();
    for (LoggedJob loggedJob : logPage.jobs()) {
      LoggedGrant loggedGrant = grants.get(loggedJob.grant());
      for (LoggedEvent loggedEvent : events.getOrDefault(loggedJob.id(), List.of())) {
        if (loggedGrant != null && loggedEvent.kind().equals("JobClaimed")) {
          byHost
              .computeIfAbsent(loggedJob.host(), _ -> new ArrayList<>())
              .add(
                  new Given(
                      loggedEvent,
                      new Token(
                          loggedGrant.epoch(),
                          loggedGrant.revision(),
                          loggedJob.round(),
                          loggedEvent.attempt())));
        }
      }
    }
    byHost.forEach(
        (host, given) -> {
          given.sort(Comparator.comparingLong(one -> one.claim().id()));
          for (int i = 1; i < given.size(); i++) {
            Given before = given.get(i - 1);
            Given now = given.get(i);
            if (ORDER.compare(before.token(), now.token()) >= 0) {
              findingCounter.violated(
                  new FindingDetail(
                      "host/" + host,
                      Optional.of(now.claim().at()),
                      "token %s was given out after %s, so that an executor could not tell which is newer"
                          .formatted(now.token(), before.token()),
                      List.of(before.claim().row(), now.claim().row())));
            }
          }
        });
  }

  @Override
  public Finding finding() {
    return findingCounter.finding();
  }
}
