package dev.drydock.lock.etcd;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.KeyChange;
import dev.drydock.lock.core.txn.Replica;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Since when session locks are expired, as this process saw it itself. Their clients may not have
 * heard of it: etcd can revoke a lease that was renewed a moment before. The last renewal was
 * before the key was gone, and that was before this process saw it; so nobody believes in such a
 * lock once its {@link LockRecord#delay} went by here. And since when holds with a maximum are
 * there: they are overdue once it went by here. Thread-safe.
 *
 * <p>Counted by a clock that does not jump. One that stands still with the machine counts too long,
 * which is the safe side.
 */
final class LockDelays {
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final Map<Which, Seen> lapsing = new HashMap<>();

  /** A lock; another one on the host has another token. */
  private record Which(String host, long token) {
    static Which of(LockRecord lock) {
      return new Which(lock.host(), lock.token());
    }
  }

  /** When it was seen first, for whom counts and for people, and how long its lapse takes. */
  private record Seen(long nanos, Instant at, boolean hold, Duration delay) {
    boolean over(long now) {
      return now - nanos >= delay.toNanos();
    }
  }

  LockDelays(InstantSource clock, LongSupplier nanos) {
    this.clock = clock;
    this.nanos = nanos;
  }

  /** Looks whenever a client is gone and left something behind, or a hold may have begun. */
  EtcdMirror.Follower following(EtcdMirror etcdMirror) {
    return new EtcdMirror.Follower() {
      @Override
      public void restarted(long revision, List<KeyChange> everything) {
        look(etcdMirror.ask(Replica::lapsing));
      }

      @Override
      public void changed(long revision, List<KeyChange> changes) {
        if (changes.stream()
            .anyMatch(keyChange -> leavesLocks(etcdMirror, keyChange) || holds(keyChange))) {
          look(etcdMirror.ask(Replica::lapsing));
        }
      }
    };
  }

  private static boolean leavesLocks(EtcdMirror etcdMirror, KeyChange keyChange) {
    return keyChange.now() == null
        && switch (keyChange.key()) {
          case Key.Alive key -> etcdMirror.ask(replica -> replica.livedBy(key.id()));
          case Key.Term key -> etcdMirror.ask(replica -> replica.livedBy(key.id()));
          default -> false;
        };
  }

  private static boolean holds(KeyChange keyChange) {
    return keyChange.now() != null
        && keyChange.now().value() instanceof LockRecord lock
        && lock.verifiedAfterMaximum();
  }

  /**
   * Begins to count for those of all {@link Replica#lapsing} locks that it was not shown before.
   * Who shows them may be behind and miss some: no expired lock is forgotten before its delay is
   * over. A hold is, since its maximum may be a month: at worst it is counted anew from a moment
   * later.
   */
  synchronized void look(Collection<LockRecord> locks) {
    Set<Which> shown = locks.stream().map(Which::of).collect(Collectors.toSet());
    long now = nanos.getAsLong();
    lapsing
        .entrySet()
        .removeIf(
            one ->
                (one.getValue().over(now) || one.getValue().hold())
                    && !shown.contains(one.getKey()));
    locks.forEach(lock -> lapsing.computeIfAbsent(Which.of(lock), which -> seen(lock)));
  }

  private Seen seen(LockRecord lock) {
    boolean hold = lock.verifiedAfterMaximum();
    Duration delay = hold ? Duration.ofSeconds(lock.maxSeconds()) : lock.delay();
    return new Seen(nanos.getAsLong(), clock.instant(), hold, delay);
  }

  /** The hosts of those of {@code locks} in which nobody believes any more, or that are overdue. */
  synchronized Set<String> over(Collection<LockRecord> locks) {
    long now = nanos.getAsLong();
    return locks.stream()
        .filter(
            lock -> {
              Seen seen = lapsing.get(Which.of(lock));
              return seen != null && seen.over(now);
            })
        .map(LockRecord::host)
        .collect(Collectors.toSet());
  }

  /** Whether some delay is over. */
  synchronized boolean due() {
    long now = nanos.getAsLong();
    return lapsing.values().stream().anyMatch(seen -> seen.over(now));
  }

  /** How long until the next delay is over, {@code longest} at most. */
  synchronized Duration next(Duration longest) {
    long now = nanos.getAsLong();
    return lapsing.values().stream()
        .filter(seen -> !seen.over(now))
        .map(seen -> seen.delay().minusNanos(now - seen.nanos()))
        .filter(left -> left.compareTo(longest) < 0)
        .min(Duration::compareTo)
        .orElse(longest);
  }

  /** About when nobody believes in an expired lock any more; the grantor may count a bit longer. */
  synchronized Optional<Instant> until(LockRecord lock) {
    return Optional.ofNullable(lapsing.get(Which.of(lock)))
        .map(seen -> seen.at().plus(seen.delay()));
  }
}
