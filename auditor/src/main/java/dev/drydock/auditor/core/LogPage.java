package dev.drydock.auditor.core;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What was logged of some hosts of a rollout and of the grants that are judged with them. A grant
 * is judged in the page of its first host, and then all that was logged of its other hosts is here
 * as well.
 *
 * @param hosts the host upgrades that are judged in this page
 * @param grants all of the rollout that have one of these as first host
 * @param checks of these grants
 * @param jobs of these grants
 * @param hooks of these grants
 * @param events of the rollout on hosts of the page and of its grants, in the order of writing
 * @param locks what the lock history tells of the same hosts, whoever held them, in its order
 * @param changes of all rollouts that this names, in the order of writing
 */
public record LogPage(
    List<LoggedHostUpgrade> hosts,
    List<LoggedGrant> grants,
    List<BatchCheck> checks,
    List<LoggedJob> jobs,
    List<LoggedHook> hooks,
    List<LoggedEvent> events,
    List<LockEntry> locks,
    List<LoggedRolloutChange> changes) {
  public LogPage {
    hosts = List.copyOf(hosts);
    grants = List.copyOf(grants);
    checks = List.copyOf(checks);
    jobs = List.copyOf(jobs);
    hooks = List.copyOf(hooks);
    events = List.copyOf(events);
    locks = List.copyOf(locks);
    changes = List.copyOf(changes);
  }

  /** Jobs by grant. */
  Map<String, List<LoggedJob>> jobsByGrant() {
    return by(jobs, LoggedJob::grant);
  }

  /** Events of jobs by the job's id, in their order. */
  Map<String, List<LoggedEvent>> eventsByJob() {
    return by(events.stream().filter(event -> !event.job().isEmpty()).toList(), LoggedEvent::job);
  }

  /** What the lock history tells under each id of a lock, in its order. */
  Map<String, List<LockEntry>> entriesByLock() {
    return by(locks, LockEntry::lock);
  }

  /** Why the hold of a grant cannot be followed, if the lock history does not tell of it. */
  Optional<String> untoldHold(LoggedGrant loggedGrant) {
    boolean told =
        locks.stream()
            .anyMatch(
                entry -> entry.lock().equals(loggedGrant.id()) && entry.what().equals("Granted"));
    return told || !loggedGrant.committed()
        ? Optional.empty()
        : Optional.of("the lock history does not tell of the hold of grant " + loggedGrant.id());
  }

  static <T> Map<String, List<T>> by(List<T> all, Function<T, String> key) {
    return all.stream().collect(Collectors.groupingBy(key));
  }
}
