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
final class AllOrNone implements Check {
  private final Tally tally = new Tally(Invariant.I4);
  private final Rollout rollout;
  private final boolean eventsKept;
  private final boolean locksKept;

  AllOrNone(Rollout rollout) {
    this.rollout = rollout;
    eventsKept = rollout.eventGaps().isEmpty();
    locksKept = rollout.lockGaps().isEmpty();
    rollout.eventGaps().forEach(tally::unknown);
    rollout.lockGaps().forEach(tally::unknown);
  }

  @Override
  public void look(Page page) {
    Map<String, List<LockEntry>> holds = page.entriesByLock();
    Map<String, List<Job>> jobs = page.jobsByGrant();
    Map<String, List<BatchCheck>> checks = Page.by(page.checks(), BatchCheck::grant);
    Map<String, List<Event>> events = page.eventsByJob();
    for (Grant grant : page.grants()) {
      List<Job> given =
          jobs.getOrDefault(grant.id(), List.of()).stream().filter(Job::given).toList();
      if (given.isEmpty()) {
        continue;
      }
      tally.judged();
      page.untoldHold(grant)
          .ifPresentOrElse(
              tally::unknown,
              () -> {
                if (!mayBeLost(page)) {
                  together(grant, given, holds.getOrDefault(grant.id(), List.of()));
                }
              });
      if (eventsKept) {
        opened(grant, given, checks.getOrDefault(grant.id(), List.of()), events);
      }
    }
  }

  /** Whether a gap that was noted since its rollout began may hide when hosts were locked first. */
  private boolean mayBeLost(Page page) {
    return page.locks().stream()
        .anyMatch(entry -> entry.what().equals("Gap") && rollout.since(entry));
  }

  private void together(Grant grant, List<Job> given, List<LockEntry> hold) {
    List<LockEntry> granted =
        hold.stream().filter(entry -> entry.what().equals("Granted")).toList();
    if (granted.isEmpty() && !locksKept) {
      return; // It may be among what is gone.
    }
    Set<String> missing = new TreeSet<>(grant.hosts());
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
                    "grants %s: %s, hosts %s".formatted(grant.id(), grant.state(), grant.hosts())))
            .flatMap(rows -> rows)
            .toList();
    if (!missing.isEmpty()) {
      violated(
          grant,
          Optional.of(given.getFirst()),
          "%s was touched though %s of its batch was never locked"
              .formatted(given.getFirst().host(), String.join(", ", missing)),
          evidence);
    } else if (revisions.size() > 1) {
      violated(
          grant,
          Optional.of(given.getFirst()),
          "its hosts were not locked together but at revisions " + revisions,
          first.stream().map(LockEntry::row).toList());
    }
  }

  private void opened(
      Grant grant, List<Job> given, List<BatchCheck> checks, Map<String, List<Event>> events) {
    for (Job drain : given) {
      if (!drain.step().equals("Drain")) {
        continue;
      }
      Optional<Event> claim =
          events.getOrDefault(drain.id(), List.of()).stream()
              .filter(event -> event.kind().equals("JobClaimed"))
              .findFirst();
      if (claim.isEmpty()) {
        tally.unknown("no event tells when job " + drain.id() + " was given out");
        continue;
      }
      boolean open =
          checks.stream()
              .filter(BatchCheck::opened)
              .anyMatch(check -> claim.get().id() > check.decided());
      if (!open) {
        violated(
            grant,
            Optional.of(drain),
            "the drain of %s was given out before an open check let the batch of %d hosts go"
                .formatted(drain.host(), grant.hosts().size()),
            List.of(claim.get().row(), "checks %s: none was open by then".formatted(grant.id())));
      }
    }
  }

  private void violated(Grant grant, Optional<Job> job, String says, List<String> evidence) {
    tally.violated(new Exhibit(grant.object(), job.map(Job::createdAt), says, evidence));
  }

  @Override
  public Finding finding() {
    return tally.finding();
  }
}
