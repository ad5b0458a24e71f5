package dev.drydock.auditor.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * I3, told a second time from the lock history of each host. Whoever is granted while a ticket that
 * was accepted earlier still waits for the host passes it:
 *
 * <ol>
 *   <li>A batch never passes another that waits for exactly the same hosts: whatever blocks one
 *       blocks the other.
 *   <li>Anybody else may pass it, but not once it was passed for longer than requests may be in
 *       all. For the same hosts and the same kind of lock that is a violation; else the ticket may
 *       have been blocked meanwhile, which the history does not tell.
 * </ol>
 */
final class FifoCheck implements InvariantCheck {
  private final AuditedRollout auditedRollout;
  private final Duration passingMax;
  private final Duration staleness;
  private final FindingCounter findingCounter = new FindingCounter(Invariant.I3);

  /**
   * @param passingMax how long a request may be passed, in all
   * @param staleness what was told within this time before a grant need not have been known to it
   */
  FifoCheck(AuditedRollout auditedRollout, Duration passingMax, Duration staleness) {
    this.auditedRollout = auditedRollout;
    this.passingMax = passingMax;
    this.staleness = staleness;
    auditedRollout.lockGaps().forEach(findingCounter::unknown);
    findingCounter.doubt(auditedRollout.timeGaps());
  }

  /** A ticket that waits, and what passed it first. */
  private static final class Waiting {
    private final LockEntry queued;
    private final long turn;
    private Optional<LockEntry> passed = Optional.empty();

    Waiting(LockEntry queued, long turn) {
      this.queued = queued;
      this.turn = turn;
    }

    /** Candidates are granted under the id of their grant. */
    boolean isServedBy(LockEntry granted) {
      return granted.lock().equals(queued.lock())
          || (granted.rollout().isPresent()
              && granted.rollout().equals(queued.rollout())
              && sameHosts(granted));
    }

    boolean sameHosts(LockEntry granted) {
      return new HashSet<>(granted.hosts()).equals(new HashSet<>(queued.hosts()));
    }
  }

  @Override
  public void look(LogPage logPage) {
    Set<String> hosts = new HashSet<>();
    logPage.hosts().forEach(upgrade -> hosts.add(upgrade.host()));
    Map<String, List<LockEntry>> byHost = new HashMap<>();
    for (LockEntry entry : logPage.locks()) {
      entry.hosts().stream()
          .filter(hosts::contains)
          .forEach(host -> byHost.computeIfAbsent(host, _ -> new ArrayList<>()).add(entry));
    }
    RequestPeriods requestPeriods = new RequestPeriods(logPage.changes());
    byHost.forEach((host, history) -> follow(host, history, requestPeriods));
  }

  private void follow(String host, List<LockEntry> history, RequestPeriods requestPeriods) {
    Map<String, Waiting> waiting = new LinkedHashMap<>();
    Map<Object, Long> turns = new HashMap<>();
    for (LockEntry entry : history) {
      long turn = turns.computeIfAbsent(claimant(entry), _ -> entry.revision());
      switch (entry.what()) {
        case "Queued" -> waiting.put(entry.lock(), new Waiting(entry, turn));
        case "Left" -> waiting.remove(entry.lock());
        case "Gap" -> waiting.clear();
        case "Granted" -> {
          // Tickets of one revision were accepted together; those served with it are gone.
          Optional<Waiting> own =
              waiting.values().stream().filter(one -> one.isServedBy(entry)).findFirst();
          own.ifPresent(served -> waiting.remove(served.queued.lock()));
          if (auditedRollout.since(entry)) {
            findingCounter.judged();
            waiting.values().stream()
                .filter(one -> one.turn < turn && asks(one.queued, entry, requestPeriods))
                .forEach(one -> passes(host, one, entry));
          }
        }
        default -> {}
      }
    }
  }

  /** People's tickets always ask. */
  private boolean asks(LockEntry queued, LockEntry granted, RequestPeriods requestPeriods) {
    return queued
        .rollout()
        .map(
            waits ->
                requestPeriods.throughout(
                    waits, queued.hosts(), granted.at().minus(staleness), granted.at()))
        .orElse(true);
  }

  /**
   * Whose age it is: that of a ticket, or of the hosts of a rollout, which keep the age of their
   * first turn when their batch is turned back.
   */
  private static Object claimant(LockEntry entry) {
    return entry.rollout().isPresent()
        ? List.of(entry.rollout().get(), new HashSet<>(entry.hosts()))
        : entry.lock();
  }

  private void passes(String host, Waiting waiting, LockEntry granted) {
    LockEntry first = waiting.passed.orElse(granted);
    waiting.passed = Optional.of(first);
    boolean alike = waiting.sameHosts(granted) && waiting.queued.kind().equals(granted.kind());
    boolean batches = alike && granted.kind().equals("Batch");
    Duration since = Duration.between(first.at(), granted.at());
    if (!batches && since.compareTo(passingMax) <= 0) {
      return;
    }
    if (batches || (alike && granted.kind().equals("Session"))) {
      findingCounter.violated(
          new FindingDetail(
              "host/" + host,
              Optional.of(granted.at()),
              "%s was granted before %s, which was accepted earlier for the same hosts%s"
                  .formatted(
                      granted.lock(),
                      waiting.queued.lock(),
                      batches
                          ? ""
                          : " and was passed for " + since.toMinutes() + " minutes already"),
              List.of(waiting.queued.row(), granted.row())));
    } else {
      findingCounter.unknown(
          "%s was granted %s before %s, passed for %d minutes by then; whether that was blocked meanwhile is not kept"
              .formatted(granted.lock(), host, waiting.queued.lock(), since.toMinutes()));
    }
  }

  @Override
  public Finding finding() {
    return findingCounter.finding();
  }
}
