package dev.drydock.auditor.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How an application stood, kept up to date from one moment to the next: each takes what changed
 * since the one before, and not all of the application. Instances that are left for sure are
 * counted, and only the others looked at one by one. For one thread.
 *
 * @param <K> by what the locks are ordered: revisions, or times
 */
final class AvailabilityTracker<K extends Comparable<? super K>> {
  private final KnownApplicationState knownApplicationState;
  private final Timeline<Instant, LoggedInstanceState>.Cursor allocated;
  private final Timeline<Instant, LoggedInstanceState>.Cursor before;
  private final Timeline<Instant, LoggedInstanceState>.Cursor up;
  private final Timeline<K, String>.Cursor perhaps;
  private final Timeline<K, String>.Cursor surely;

  private final Map<String, Integer> onHosts = new HashMap<>();
  private final Map<String, Integer> ofSources = new HashMap<>();
  private final Map<String, Set<LoggedInstanceState>> upOnHosts = new HashMap<>();
  private final Set<String> perhapsLocked = new HashSet<>();
  private final Set<String> surelyLocked = new HashSet<>();

  /** Those allocated that are not counted as left. */
  private final Map<LoggedInstanceState, Integer> others = new IdentityHashMap<>();

  private int allocatedBefore;
  private long left;
  private long leftUnits;

  /** With the locks in the order in which they were written. */
  static AvailabilityTracker<Long> byRevision(
      ApplicationLog log,
      KnownApplicationState knownApplicationState,
      InstanceAvailability instanceAvailability) {
    Timeline<Long, String> revisions = LockPeriods.of(log.locks(), LockEntry::revision);
    return new AvailabilityTracker<>(
        knownApplicationState, instanceAvailability, revisions, revisions);
  }

  /** With the locks as of when they were told, which may be a little later. */
  static AvailabilityTracker<Instant> byTime(
      ApplicationLog log,
      KnownApplicationState knownApplicationState,
      InstanceAvailability instanceAvailability) {
    return new AvailabilityTracker<>(
        knownApplicationState,
        instanceAvailability,
        LockPeriods.of(log.locks(), KnownApplicationState::perhapsFrom),
        LockPeriods.of(log.locks(), KnownApplicationState::surelyFrom));
  }

  /**
   * @param perhaps hosts that may have had a lock
   * @param surely hosts that had one for sure
   */
  private AvailabilityTracker(
      KnownApplicationState knownApplicationState,
      InstanceAvailability instanceAvailability,
      Timeline<K, String> perhaps,
      Timeline<K, String> surely) {
    this.knownApplicationState = knownApplicationState;
    Timeline<Instant, LoggedInstanceState> stays = instanceAvailability.allocated();
    allocated = stays.follow(this::stays);
    before = stays.follow((_, begins) -> allocatedBefore += begins ? 1 : -1);
    up = instanceAvailability.surelyUp().follow(this::up);
    this.perhaps = perhaps.follow((host, begins) -> locked(perhapsLocked, host, begins));
    this.surely = surely.follow((host, begins) -> locked(surelyLocked, host, begins));
  }

  /** As of this moment. */
  AvailabilityTracker<K> to(Instant at, K locks) {
    allocated.to(at);
    up.to(at);
    perhaps.to(locks);
    surely.to(locks);
    return this;
  }

  /** Whether an instance of the application is allocated on one of the hosts. */
  boolean concerns(Collection<String> hosts) {
    return hosts.stream().anyMatch(onHosts::containsKey);
  }

  boolean isPerhapsLocked(String host) {
    return perhapsLocked.contains(host);
  }

  /** Hosts that had a lock of any kind for sure. */
  Set<String> surelyLocked() {
    return Collections.unmodifiableSet(surelyLocked);
  }

  /**
   * With these hosts down as well.
   *
   * @param at the moment it is as of
   * @param staleness what was told within this time before need not have been known
   */
  AvailabilitySnapshot situation(
      Instant at, Duration staleness, Duration healthAgeMax, Collection<String> down) {
    before.to(at.minus(staleness));
    Set<String> more = new HashSet<>(down);
    more.removeAll(perhapsLocked);
    more.forEach(host -> locked(perhapsLocked, host, true));
    boolean fresh =
        ofSources.keySet().stream()
            .allMatch(source -> knownApplicationState.isFresh(source, at, healthAgeMax));
    List<AvailabilitySnapshot.One> ones = new ArrayList<>();
    for (LoggedInstanceState state :
        fresh ? others.keySet() : knownApplicationState.allocated(at)) {
      boolean locked = surelyLocked.contains(state.host()) || down.contains(state.host());
      ones.add(
          AvailabilitySnapshot.One.of(
              knownApplicationState,
              state,
              locked,
              perhapsLocked.contains(state.host()),
              at,
              staleness,
              healthAgeMax));
    }
    AvailabilitySnapshot availabilitySnapshot =
        new AvailabilitySnapshot(fresh ? left : 0, fresh ? leftUnits : 0, ones, allocatedBefore);
    more.forEach(host -> locked(perhapsLocked, host, false));
    return availabilitySnapshot;
  }

  private void stays(LoggedInstanceState state, boolean begins) {
    int one = begins ? 1 : -1;
    count(onHosts, state.host(), one);
    count(ofSources, state.source(), one);
    count(others, state, one);
  }

  private void up(LoggedInstanceState state, boolean begins) {
    put(
        upOnHosts.computeIfAbsent(
            state.host(), _ -> Collections.newSetFromMap(new IdentityHashMap<>())),
        state,
        begins);
    if (!isLocked(state.host())) {
      left(state, begins);
    }
  }

  private void locked(Set<String> which, String host, boolean begins) {
    boolean was = isLocked(host);
    put(which, host, begins);
    if (was != isLocked(host)) {
      upOnHosts.getOrDefault(host, Set.of()).forEach(state -> left(state, was));
    }
  }

  private boolean isLocked(String host) {
    return perhapsLocked.contains(host) || surelyLocked.contains(host);
  }

  private void left(LoggedInstanceState state, boolean begins) {
    int one = begins ? 1 : -1;
    left += one;
    leftUnits += (long) one * state.capacity();
    count(others, state, -one);
  }

  private static <T> void put(Set<T> set, T one, boolean in) {
    if (in) {
      set.add(one);
    } else {
      set.remove(one);
    }
  }

  private static <T> void count(Map<T, Integer> counts, T of, int one) {
    counts.merge(of, one, (had, more) -> had + more == 0 ? null : had + more);
  }
}
