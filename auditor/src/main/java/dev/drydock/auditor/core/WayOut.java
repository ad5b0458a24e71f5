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
final class WayOut implements Check {
  private static final Set<String> UNDOES = Set.of("Recover", "Unfreeze");

  /** How far the lock history may be behind before what it does not tell is missing. */
  private static final Duration BEHIND_MAX = Duration.ofMinutes(5);

  private final Rollout rollout;
  private final Tally tally = new Tally(Invariant.I8);

  WayOut(Rollout rollout) {
    this.rollout = rollout;
    rollout.lockGaps().forEach(tally::unknown);
    rollout.eventGaps().forEach(tally::unknown);
  }

  @Override
  public void look(Page page) {
    Map<String, List<Job>> jobs = page.jobsByGrant();
    Map<String, List<LockEntry>> holds = page.entriesByLock();
    Map<String, Set<String>> quarantined = new java.util.HashMap<>();
    for (Event event : page.events()) {
      if (event.kind().equals("HostQuarantined")) {
        quarantined.computeIfAbsent(event.grant(), _ -> new HashSet<>()).add(event.host());
      }
    }
    for (Grant grant : page.grants()) {
      List<Job> ofGrant = jobs.getOrDefault(grant.id(), List.of());
      List<LockEntry> hold = holds.getOrDefault(grant.id(), List.of());
      if (grant.state().equals("void")) {
        tally.judged();
        cameToNothing(grant, ofGrant, hold);
      } else if (grant.state().equals("ended")) {
        tally.judged();
        Set<String> left = quarantined.getOrDefault(grant.id(), Set.of());
        hooksTakenBack(page, grant, ofGrant, left);
        Map<String, List<Job>> byHost = Page.by(ofGrant, Job::host);
        for (String host : grant.hosts()) {
          if (!left.contains(host)) {
            broughtBack(grant, host, byHost.getOrDefault(host, List.of()));
            holdEnded(grant, host, hold);
          }
        }
        page.untoldHold(grant).ifPresent(tally::unknown);
      }
    }
  }

  /** Of a batch that went back: what its hooks did, all of it, and nothing else. */
  private void hooksTakenBack(Page page, Grant grant, List<Job> jobs, Set<String> quarantined) {
    for (Hook post : page.hooks()) {
      if (!post.grant().equals(grant.id())) {
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
            grant.object(),
            "%s took back what no hook had done".formatted(post.says()),
            grant.object());
      }
      boolean due =
          grant.undo().isPresent()
              && post.hosts().stream().anyMatch(host -> !quarantined.contains(host));
      if (due && begun && !back) {
        violated(
            grant.object(),
            "it ended, but %s did not take back what its pre hook had begun".formatted(post.says()),
            grant.object());
      }
    }
  }

  private static boolean given(List<Job> jobs, String step, int hook) {
    return jobs.stream()
        .anyMatch(job -> job.step().equals(step) && job.hook() == hook && job.given());
  }

  private void cameToNothing(Grant grant, List<Job> jobs, List<LockEntry> hold) {
    hold.stream()
        .filter(entry -> entry.what().equals("Granted"))
        .findFirst()
        .ifPresent(
            entry ->
                violated(
                    grant.object(), "it came to nothing, but its hosts were locked", entry.row()));
    jobs.stream()
        .filter(Job::given)
        .findFirst()
        .ifPresent(
            job ->
                violated(
                    grant.object(), "it came to nothing, but work on it was given out", job.row()));
  }

  private void broughtBack(Grant grant, String host, List<Job> jobs) {
    if (!rollout.eventGaps().isEmpty()) {
      return; // Some of the work may be told of nowhere.
    }
    Optional<Job> stopped = last(jobs, Set.of("Drain"));
    Optional<Job> cordoned = last(jobs, Set.of("Freeze")).filter(Job::mayHaveBegun);
    Optional<Job> undone = last(jobs, UNDOES);
    String where = "host/" + host;
    if (stopped.isPresent()) {
      Optional<Job> started = last(jobs, Set.of("Recover")).filter(Job::done);
      if (started.filter(job -> job.round() > stopped.get().round()).isEmpty()) {
        violated(
            where,
            "%s ended, but what it stopped was not started again".formatted(grant.id()),
            stopped.get().row());
      }
    } else if (cordoned.isPresent()) {
      if (undone.filter(Job::done).isEmpty()) {
        violated(
            where,
            "%s ended, but it still keeps new work away".formatted(grant.id()),
            cordoned.get().row());
      }
    } else if (undone.isPresent() && !grant.blind()) {
      violated(where, "%s undid what it had not done".formatted(grant.id()), undone.get().row());
    }
  }

  /** The last round that was given to a consumer: one that was not has done nothing. */
  private static Optional<Job> last(List<Job> jobs, Set<String> steps) {
    return jobs.stream()
        .filter(job -> job.given() && steps.contains(job.step()))
        .max(Comparator.comparingInt(Job::round));
  }

  private void holdEnded(Grant grant, String host, List<LockEntry> hold) {
    boolean ended =
        hold.stream()
            .anyMatch(entry -> entry.what().equals("Ended") && entry.hosts().contains(host));
    if (ended || !rollout.lockGaps().isEmpty()) {
      return;
    }
    boolean late =
        grant.holdEndedAt().isEmpty()
            && grant
                .endedAt()
                .filter(at -> at.plus(BEHIND_MAX).isBefore(rollout.readAt()))
                .isPresent();
    if (late) {
      violated(
          "host/" + host,
          "%s ended, but its hold did not".formatted(grant.id()),
          "grants %s: ended at %s, its hold never"
              .formatted(grant.id(), grant.endedAt().map(Object::toString).orElse("?")));
    } else {
      tally.unknown(
          "the lock history does not tell yet that the hold of %s on %s ended"
              .formatted(grant.id(), host));
    }
  }

  private void violated(String object, String says, String row) {
    tally.violated(new Exhibit(object, Optional.empty(), says, List.of(row)));
  }

  @Override
  public Finding finding() {
    return tally.finding();
  }
}
