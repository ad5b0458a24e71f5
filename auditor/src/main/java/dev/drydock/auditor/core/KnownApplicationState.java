package dev.drydock.auditor.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What could be known of an application at any moment, put together from its log. The log does not
 * tell all to the moment, so an instance may be up for sure, or not for sure, or neither.
 */
final class KnownApplicationState {
  /** Clocks of the server and its database, and what one write takes. */
  private static final Duration SLACK = Duration.ofSeconds(1);

  /** How long after what it tells of the lock history is written at the most. */
  private static final Duration BEHIND_MAX = Duration.ofSeconds(10);

  private final ApplicationLog log;
  private final Duration staleness;
  private final ObservationReports observationReports;
  private final Map<String, List<LoggedInstanceState>> states;
  private final Map<String, List<LoggedHostState>> hosts;
  private final Map<String, TreeSet<Instant>> foreignEnds = new HashMap<>();
  private final TreeMap<Instant, Optional<PolicyVersion>> policies = new TreeMap<>();

  /**
   * @param staleness how old the newest report of a source may be, and what was told within that
   *     before a decision need not have been known to it
   */
  KnownApplicationState(ApplicationLog log, Duration staleness) {
    this.log = log;
    this.staleness = staleness;
    observationReports = new ObservationReports(log.sightings());
    states = log.instances().stream().collect(Collectors.groupingBy(LoggedInstanceState::instance));
    hosts = log.hosts().stream().collect(Collectors.groupingBy(LoggedHostState::host));
    log.policies().stream()
        .map(PolicyVersion::from)
        .distinct()
        .forEach(from -> policies.put(from, inForce(from)));
    for (LockEntry entry : log.locks()) {
      boolean over = entry.what().equals("Ended") || entry.what().equals("Lapsed");
      if (over && !entry.kind().equals("Batch")) {
        entry
            .hosts()
            .forEach(
                host -> foreignEnds.computeIfAbsent(host, _ -> new TreeSet<>()).add(entry.at()));
      }
    }
  }

  /** Whether it is up. */
  enum Up {
    YES,
    NO,
    /** The log is not precise enough. */
    MAYBE
  }

  /** What each instance became. */
  Collection<List<LoggedInstanceState>> histories() {
    return states.values();
  }

  /** When something else than the state itself and the full reports may change of an instance. */
  TreeSet<Instant> changes(LoggedInstanceState state) {
    TreeSet<Instant> changes = new TreeSet<>(observationReports.named(state.instance()));
    hosts.getOrDefault(state.host(), List.of()).forEach(host -> changes.add(host.at()));
    foreignEnds
        .getOrDefault(state.host(), new TreeSet<>())
        .forEach(end -> changes.add(end.minus(BEHIND_MAX)));
    return changes;
  }

  /**
   * What confirms a state but for full reports.
   *
   * @param earliest when it was observed at the earliest
   * @param latest when it was observed at the latest
   */
  record Own(long mark, Instant earliest, Instant latest) {}

  /** The newest of it. */
  Own own(LoggedInstanceState state, Instant at) {
    return observationReports
        .own(state, at)
        .map(one -> new Own(one.mark(), one.oldestAt(), one.issuedAt()))
        .orElse(new Own(state.mark(), state.observedAt(), state.observedAt()));
  }

  ReportIndex reports(String source) {
    return observationReports.reports(source);
  }

  /** Whether the source was heard of, and its last full report, if it has any, counts for sure. */
  boolean isFresh(String source, Instant at, Duration healthAgeMax) {
    return !observationReports.heard(source, at).plus(staleness).isBefore(at)
        && observationReports
            .whole(source, at)
            .map(one -> one.oldestAt().isBefore(one.issuedAt()) ? one.oldestAt() : one.issuedAt())
            .filter(told -> told.plus(healthAgeMax).isBefore(at))
            .isEmpty();
  }

  /** The mark of the last effect on a host. */
  long effectMark(String host, Instant at) {
    return last(hosts.getOrDefault(host, List.of()), LoggedHostState::at, at)
        .map(LoggedHostState::effectMark)
        .orElse(0L);
  }

  /** When the last lock of others on it ended that may have ended by then; else never. */
  Instant lastForeignEnd(String host, Instant at) {
    return Optional.ofNullable(foreignEnds.get(host))
        .map(ends -> ends.floor(at.plus(BEHIND_MAX)))
        .orElse(Instant.MIN);
  }

  boolean isAllocated(LoggedInstanceState state) {
    return state.application().equals(log.application()) && !state.vanished();
  }

  /** The instances allocated to the application then, as they were told last. */
  List<LoggedInstanceState> allocated(Instant at) {
    List<LoggedInstanceState> allocated = new ArrayList<>();
    for (List<LoggedInstanceState> became : states.values()) {
      last(became, LoggedInstanceState::at, at).filter(this::isAllocated).ifPresent(allocated::add);
    }
    allocated.sort(Comparator.comparing(LoggedInstanceState::instance));
    return allocated;
  }

  Map<String, String> labels(String host, Instant at) {
    return last(hosts.getOrDefault(host, List.of()), LoggedHostState::at, at)
        .map(LoggedHostState::labels)
        .orElse(Map.of());
  }

  /** Whether it was up then, but for locks that are held. */
  Up up(LoggedInstanceState state, Instant at, Duration healthAgeMax) {
    if (!state.health().equals("Healthy") || state.vanished()) {
      return Up.NO;
    }
    Optional<ObservationReport> newest = observationReports.naming(state, at);
    Instant heard = observationReports.heard(state.source(), at);
    long mark = newest.map(ObservationReport::mark).orElse(state.mark());
    if (mark < effectMark(state.host(), at)) {
      return Up.NO;
    }
    Instant earliest = newest.map(ObservationReport::oldestAt).orElse(state.observedAt());
    Instant latest = newest.map(ObservationReport::issuedAt).orElse(state.observedAt());
    if (old(latest, at, healthAgeMax) || old(heard, at, staleness)) {
      return Up.NO;
    }
    boolean afterLocks = latest.isAfter(lastForeignEnd(state.host(), at));
    boolean fresh =
        !earliest.plus(healthAgeMax).isBefore(at) && !heard.plus(staleness).isBefore(at);
    return afterLocks && fresh ? Up.YES : Up.MAYBE;
  }

  private static boolean old(Instant then, Instant at, Duration most) {
    return then.equals(Instant.MIN) || then.plus(most).plus(SLACK).isBefore(at);
  }

  /**
   * Whether somebody who looked at it within the staleness bound may have found it up: by what it
   * was then, for as long as nothing else was told.
   */
  boolean mayHaveSeenUp(String instance, Instant at, Duration healthAgeMax) {
    Instant from = at.minus(staleness);
    List<LoggedInstanceState> became = states.getOrDefault(instance, List.of());
    for (int i = 0; i < became.size() && !became.get(i).at().isAfter(at); i++) {
      LoggedInstanceState state = became.get(i);
      boolean replaced = i + 1 < became.size() && !became.get(i + 1).at().isAfter(at);
      Instant until = replaced ? became.get(i + 1).at() : at;
      Instant since = state.at().isAfter(from) ? state.at() : from;
      if (!until.isBefore(from)
          && (up(state, until, healthAgeMax) != Up.NO || up(state, since, healthAgeMax) != Up.NO)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The version in force then, or the one until shortly before, which somebody may have gone by.
   */
  Optional<PolicyVersion> policyUntilShortlyBefore(Instant at) {
    return policy(at.minus(staleness));
  }

  /** Of each policy the newest version is in force. */
  Optional<PolicyVersion> policy(Instant at) {
    return Optional.ofNullable(policies.floorEntry(at)).flatMap(Map.Entry::getValue);
  }

  private Optional<PolicyVersion> inForce(Instant at) {
    Map<String, PolicyVersion> newest = new HashMap<>();
    for (PolicyVersion policy : log.policies()) {
      if (!policy.from().isAfter(at)) {
        newest.merge(
            policy.name(), policy, (one, other) -> one.version() > other.version() ? one : other);
      }
    }
    return newest.values().stream()
        .filter(policy -> policy.applications().contains(log.application()))
        .max(Comparator.comparing(PolicyVersion::from));
  }

  /** From when on it may have happened for who looks for hosts that may be locked. */
  static Instant perhapsFrom(LockEntry entry) {
    return entry.what().equals("Ended") ? entry.at() : entry.at().minus(BEHIND_MAX);
  }

  /** The same for who looks for hosts that are locked for sure. */
  static Instant surelyFrom(LockEntry entry) {
    return entry.what().equals("Ended") ? entry.at().minus(BEHIND_MAX) : entry.at();
  }

  private static <T> Optional<T> last(List<T> rows, Function<T, Instant> time, Instant at) {
    int low = 0;
    int high = rows.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (time.apply(rows.get(middle)).isAfter(at)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low == 0 ? Optional.empty() : Optional.of(rows.get(low - 1));
  }
}
