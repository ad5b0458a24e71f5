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
final class OneActivity implements Check {
  private static final Comparator<Token> ORDER =
      Comparator.comparingLong(Token::epoch)
          .thenComparingLong(Token::hold)
          .thenComparingInt(Token::round)
          .thenComparingInt(Token::attempt);

  private final Rollout rollout;
  private final Tally tally = new Tally(Invariant.I2);

  OneActivity(Rollout rollout) {
    this.rollout = rollout;
    rollout.lockGaps().forEach(tally::unknown);
    rollout.eventGaps().forEach(tally::unknown);
  }

  /** What fences an effect: of two on one host the later has the higher (protocol P9). */
  private record Token(long epoch, long hold, int round, int attempt) {
    @Override
    public String toString() {
      return epoch + "." + hold + "." + round + "." + attempt;
    }
  }

  @Override
  public void look(Page page) {
    Map<String, List<LockEntry>> byHost = new HashMap<>();
    for (LockEntry entry : page.locks()) {
      entry
          .hosts()
          .forEach(host -> byHost.computeIfAbsent(host, _ -> new ArrayList<>()).add(entry));
    }
    page.hosts()
        .forEach(upgrade -> locks(upgrade.host(), byHost.getOrDefault(upgrade.host(), List.of())));
    Map<String, List<Event>> events = page.eventsByJob();
    Map<String, List<LockEntry>> entries = page.entriesByLock();
    Map<String, List<Job>> jobs = page.jobsByGrant();
    for (Grant grant : page.grants()) {
      page.untoldHold(grant).ifPresent(tally::unknown);
      for (Job job : jobs.getOrDefault(grant.id(), List.of())) {
        claims(grant, job, events, entries.getOrDefault(grant.id(), List.of()));
      }
    }
    tokens(page, events);
  }

  private void locks(String host, List<LockEntry> history) {
    Map<String, LockEntry> holding = new LinkedHashMap<>();
    for (LockEntry entry : history) {
      switch (entry.what()) {
        case "Granted" -> {
          tally.judged();
          holding.values().stream()
              .filter(other -> !other.lock().equals(entry.lock()))
              .findFirst()
              .filter(_ -> rollout.since(entry))
              .ifPresent(other -> tally.violated(two(host, other, entry)));
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

  private static Exhibit two(String host, LockEntry first, LockEntry second) {
    return new Exhibit(
        "host/" + host,
        Optional.of(second.at()),
        "%s was granted to %s while %s had it".formatted(host, second.lock(), first.lock()),
        List.of(first.row(), second.row()));
  }

  private void claims(Grant grant, Job job, Map<String, List<Event>> events, List<LockEntry> hold) {
    Optional<LockEntry> end = end(grant, job.host(), hold);
    for (Event claim : events.getOrDefault(job.id(), List.of())) {
      if (!claim.kind().equals("JobClaimed")) {
        continue;
      }
      tally.judged();
      // The history is written after what it tells of: before its row is no proof, after it is.
      if (end.isPresent() && end.get().before(claim)) {
        tally.violated(
            new Exhibit(
                "job/" + job.id(),
                Optional.of(claim.at()),
                "it was given out after the hold of %s on %s had ended"
                    .formatted(grant.id(), job.host()),
                List.of(claim.row(), end.get().row())));
      }
      if (grant.revision() == 0) {
        tally.violated(
            new Exhibit(
                "job/" + job.id(),
                Optional.of(claim.at()),
                "it was given out though the hold of %s is not known to have been committed"
                    .formatted(grant.id()),
                List.of(claim.row(), "grants %s: %s".formatted(grant.id(), grant.state()))));
      }
    }
  }

  /**
   * How its hold on the host ended, unless it was locked again since. That may be written only
   * later: an end of an epoch before the one that the grant is worked in is none of that lock.
   */
  private static Optional<LockEntry> end(Grant grant, String host, List<LockEntry> hold) {
    Optional<LockEntry> end = Optional.empty();
    for (LockEntry entry : hold) {
      if (!entry.hosts().contains(host)) {
        continue;
      }
      if (entry.what().equals("Granted")) {
        end = Optional.empty();
      } else if (entry.what().equals("Ended") && entry.epoch() >= grant.epoch()) {
        end = Optional.of(entry);
      }
    }
    return end;
  }

  private void tokens(Page page, Map<String, List<Event>> events) {
    Map<String, Grant> grants = new HashMap<>();
    page.grants().forEach(grant -> grants.put(grant.id(), grant));
    record Given(Event claim, Token token) {}
    Map<String, List<Given>> byHost = new HashMap<>();
    for (Job job : page.jobs()) {
      Grant grant = grants.get(job.grant());
      for (Event event : events.getOrDefault(job.id(), List.of())) {
        if (grant != null && event.kind().equals("JobClaimed")) {
          byHost
              .computeIfAbsent(job.host(), _ -> new ArrayList<>())
              .add(
                  new Given(
                      event,
                      new Token(grant.epoch(), grant.revision(), job.round(), event.attempt())));
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
              tally.violated(
                  new Exhibit(
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
    return tally.finding();
  }
}
