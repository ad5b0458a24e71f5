package dev.drydock.auditor.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What could be known of an application at any moment, put together from its log. The log does not
 * tell all to the moment, so an instance may be up for sure, or not for sure, or neither.
 */
final class Known {
  /** Clocks of the server and its database, and what one write takes. */
  private static final Duration SLACK = Duration.ofSeconds(1);

  /** How long after what it tells of the lock history is written at the most. */
  private static final Duration BEHIND_MAX = Duration.ofSeconds(10);

  private final ApplicationLog log;
  private final Duration staleness;
  private final Sightings sightings;
  private final Map<String, List<InstanceState>> states;
  private final Map<String, List<HostState>> hosts;
  private final Map<String, List<LockEntry>> foreignEnds = new HashMap<>();

  /**
   * @param staleness how old the newest report of a source may be, and what was told within that
   *     before a decision need not have been known to it
   */
  Known(ApplicationLog log, Duration staleness) {
    this.log = log;
    this.staleness = staleness;
    sightings = new Sightings(log.sightings());
    states = log.instances().stream().collect(Collectors.groupingBy(InstanceState::instance));
    hosts = log.hosts().stream().collect(Collectors.groupingBy(HostState::host));
    for (LockEntry entry : log.locks()) {
      boolean over = entry.what().equals("Ended") || entry.what().equals("Lapsed");
      if (over && !entry.kind().equals("Batch")) {
        entry
            .hosts()
            .forEach(host -> foreignEnds.computeIfAbsent(host, _ -> new ArrayList<>()).add(entry));
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

  /** The instances allocated to the application then, as they were told last. */
  List<InstanceState> allocated(Instant at) {
    List<InstanceState> allocated = new ArrayList<>();
    for (List<InstanceState> became : states.values()) {
      last(became, InstanceState::at, at)
          .filter(state -> state.application().equals(log.application()) && !state.vanished())
          .ifPresent(allocated::add);
    }
    allocated.sort(Comparator.comparing(InstanceState::instance));
    return allocated;
  }

  Map<String, String> labels(String host, Instant at) {
    return last(hosts.getOrDefault(host, List.of()), HostState::at, at)
        .map(HostState::labels)
        .orElse(Map.of());
  }

  /** Whether it was up then, but for locks that are held. */
  Up up(InstanceState state, Instant at, Duration healthAgeMax) {
    if (!state.health().equals("Healthy") || state.vanished()) {
      return Up.NO;
    }
    Optional<Sighting> newest = sightings.naming(state, at);
    Instant heard = sightings.heard(state.source(), at);
    long mark = newest.map(Sighting::mark).orElse(state.mark());
    long effect =
        last(hosts.getOrDefault(state.host(), List.of()), HostState::at, at)
            .map(HostState::effectMark)
            .orElse(0L);
    if (mark < effect) {
      return Up.NO;
    }
    Instant earliest = newest.map(Sighting::oldestAt).orElse(state.observedAt());
    Instant latest = newest.map(Sighting::issuedAt).orElse(state.observedAt());
    if (old(latest, at, healthAgeMax) || old(heard, at, staleness)) {
      return Up.NO;
    }
    boolean afterLocks =
        foreignEnds.getOrDefault(state.host(), List.of()).stream()
            .filter(end -> !end.at().isAfter(at.plus(BEHIND_MAX)))
            .allMatch(end -> latest.isAfter(end.at()));
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
    List<InstanceState> became = states.getOrDefault(instance, List.of());
    for (int i = 0; i < became.size() && !became.get(i).at().isAfter(at); i++) {
      InstanceState state = became.get(i);
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

  /**
   * Hosts with a lock of any kind.
   *
   * @param surely those that had one for sure
   * @param perhaps these, and those that may have had one
   */
  record Locked(Set<String> surely, Set<String> perhaps) {}

  /** By the revision of etcd where it is known, else by the time of writing. */
  Locked locked(OptionalLong revision, Instant at) {
    if (revision.isPresent()) {
      Set<String> exact = locked(entry -> entry.revision() <= revision.getAsLong());
      return new Locked(exact, exact);
    }
    return new Locked(
        locked(
            entry -> !entry.at().isAfter(entry.what().equals("Ended") ? at.plus(BEHIND_MAX) : at)),
        locked(
            entry -> !entry.at().isAfter(entry.what().equals("Ended") ? at : at.plus(BEHIND_MAX))));
  }

  private Set<String> locked(Predicate<LockEntry> happened) {
    Map<String, String> held = new HashMap<>();
    for (LockEntry entry : log.locks()) {
      if (!happened.test(entry)) {
        continue;
      }
      for (String host : entry.hosts()) {
        switch (entry.what()) {
          case "Granted", "Quarantined" -> held.put(host, entry.lock());
          case "Ended" -> held.remove(host, entry.lock());
          default -> {}
        }
      }
    }
    return held.keySet();
  }

  private static <T> Optional<T> last(List<T> rows, Function<T, Instant> time, Instant at) {
    T last = null;
    for (T row : rows) {
      if (time.apply(row).isAfter(at)) {
        break;
      }
      last = row;
    }
    return Optional.ofNullable(last);
  }
}
