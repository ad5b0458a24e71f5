package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Waiters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which tickets a pass has to look at, so that it costs by what changed and what is ready and not
 * by all that wait. Told of every change of a {@link Replica}; not thread-safe.
 *
 * <ol>
 *   <li>Looked at are the hosts whose locks or tickets changed, and those of tickets that were held
 *       back although nobody had their hosts or came first for them.
 *   <li>Tickets of several hosts tie these together: with one of the hosts all of them are looked
 *       at, since what a ticket lacks on one host decides whether it reserves the others.
 *   <li>On a host that somebody has, tickets for this host alone wait for certain, and concern
 *       nobody else. On a free one the first few are looked at; more, if it is free still after
 *       they were decided about.
 * </ol>
 *
 * <p>Property: what is decided about a scope grants what a pass over everything grants, in the same
 * order. Only a pass over everything sees that time went by, and looks after candidates, checks,
 * holds and dead clients; {@link #everything} says when one is due. Time alone never lets anybody
 * pass: it brings a reservation nearer and uses up what a waiter may be passed.
 */
public final class PassScope {
  /** How many tickets of a free host are looked at first. */
  private static final int DEPTH = 2;

  private static final int DEEPER = 8;

  private final Set<String> dirty = new HashSet<>();
  private final Set<String> gone = new HashSet<>();
  private final Map<String, Ticket> heldBack = new HashMap<>();
  private final List<Ticket> settled = new ArrayList<>();
  private final List<Ticket> ready = new ArrayList<>();
  private boolean everything = true;

  /** Whether a change of this key can change what is decided. */
  public static boolean decisive(Key<?> key) {
    return switch (key) {
      case Key.Lock one -> true;
      case Key.Session one -> true;
      case Key.Ticket one -> true;
      case Key.Alive one -> true;
      case Key.Term one -> true;
      case Key.Generation one -> true;
      case Key.Leader one -> true;
      case Key.Brake one -> true;
      case Key.Ended one -> true;
      case Key.Passed one -> false;
      case Key.Beat one -> false;
      case Key.Epoch one -> false;
      case Key.Grant one -> false;
      case Key.Verdict one -> false;
    };
  }

  /** Takes note of a change; called before the replica is brought forward by it. */
  public void note(Replica replica, KeyChange keyChange) {
    switch (keyChange.key()) {
      case Key.Lock key -> {
        dirty.add(key.host());
        everything |= hold(replica.lockOn(key.host()).orElse(null)) || hold(lock(keyChange.now()));
      }
      case Key.Session key -> {
        replica.heldBy(key.id()).forEach(lock -> dirty.add(lock.host()));
        if (keyChange.now() != null) {
          ((SessionLock) keyChange.now().value()).held().forEach(lock -> dirty.add(lock.host()));
        }
        everything |= unreadable(keyChange.now()) || replica.brake().isPresent();
      }
      case Key.Ticket key -> {
        replica.ticket(key.id()).ifPresent(was -> dirty.addAll(was.hosts()));
        heldBack.remove(key.id());
        if (keyChange.now() != null) {
          dirty.addAll(((Ticket) keyChange.now().value()).hosts());
        }
      }
      case Key.Alive key -> gone(key.id(), keyChange);
      case Key.Term key -> gone(key.id(), keyChange);
      case Key.Generation key -> everything = true;
      case Key.Leader key -> everything = true;
      case Key.Brake key -> everything = true;
      case Key.Ended key -> dirty.add(key.host()); // A lock that lapsed excludes nobody any more.
      case Key.Passed key -> {}
      case Key.Beat key -> {}
      case Key.Epoch key -> {}
      case Key.Grant key -> {}
      case Key.Verdict key -> {}
    }
  }

  private static boolean unreadable(@Nullable StoredValue<?> storedValue) {
    return storedValue != null && storedValue.value() instanceof SessionLock.Unreadable;
  }

  private static @Nullable LockRecord lock(@Nullable StoredValue<?> storedValue) {
    return storedValue == null ? null : (LockRecord) storedValue.value();
  }

  private static boolean hold(@Nullable LockRecord lock) {
    return lock != null && lock.kind() != Kind.SESSION;
  }

  private void gone(String id, KeyChange keyChange) {
    if (keyChange.now() == null) {
      gone.add(id);
    }
  }

  /** The next pass looks at everything. */
  public void all() {
    everything = true;
  }

  /** Whether the next pass has to look at everything. */
  public boolean everything(Replica replica) {
    // A client that leaves takes its alive key with it; one that died leaves something behind.
    everything |= replica.brake().isPresent() || gone.stream().anyMatch(replica::livedBy);
    gone.clear();
    return everything;
  }

  /**
   * Decides about what changed, or about everything when that is due.
   *
   * @param pass decides about some of the tickets; called again with more of them if need be
   * @return decisions about enough of them
   */
  public List<GrantorDecision> decide(
      Replica replica, Function<Collection<Ticket>, List<GrantorDecision>> pass) {
    if (everything(replica)) {
      return remember(replica.waiters().all(), pass.apply(replica.waiters().all()));
    }
    for (int depth = DEPTH; ; depth *= DEEPER) {
      Set<String> cut = new HashSet<>();
      SortedSet<Ticket> looked = look(replica, depth, cut);
      List<GrantorDecision> decisions = looked.isEmpty() ? List.of() : pass.apply(looked);
      cut.removeAll(taken(decisions));
      if (cut.isEmpty()) {
        return remember(looked, decisions);
      }
    }
  }

  /** All that was decided last was carried out; else it is decided again. */
  public void done() {
    if (everything) {
      heldBack.clear(); // Also of those that left while nobody told.
    }
    settled.forEach(ticket -> heldBack.remove(ticket.id()));
    ready.forEach(ticket -> heldBack.put(ticket.id(), ticket));
    dirty.clear();
    everything = false;
  }

  /** What is looked at; {@code cut} gets the free hosts for which more wait. */
  private SortedSet<Ticket> look(Replica replica, int depth, Set<String> cut) {
    SortedSet<Ticket> looked = Waiters.none();
    Set<String> hosts = new HashSet<>();
    Deque<String> left = new ArrayDeque<>(dirty);
    heldBack.values().forEach(ticket -> left.addAll(ticket.hosts()));
    while (!left.isEmpty()) {
      String host = left.pop();
      if (!hosts.add(host)) {
        continue;
      }
      SortedSet<Ticket> tied = replica.waiters().tiedOn(host);
      tied.forEach(ticket -> left.addAll(ticket.hosts()));
      looked.addAll(tied);
      if (!replica.excluded(host) && !first(replica, host, depth, looked)) {
        cut.add(host);
      }
    }
    return looked;
  }

  /** Adds who comes first on a free host; false if there are more. */
  private boolean first(Replica replica, String host, int depth, SortedSet<Ticket> looked) {
    SortedSet<Ticket> queue = replica.waiters().on(host);
    SortedSet<Ticket> tied = replica.waiters().tiedOn(host);
    // Whoever is looked at, is looked at with all that came before on a free host.
    int inFront = tied.size();
    int alone = 0;
    for (Ticket ticket : queue) {
      if (Waiters.tied(ticket)) {
        inFront--;
      } else if (inFront <= 0 && alone >= depth) {
        return false;
      } else {
        alone++;
        looked.add(ticket);
      }
    }
    return true;
  }

  private static Set<String> taken(List<GrantorDecision> decisions) {
    Set<String> hosts = new HashSet<>();
    for (GrantorDecision decision : decisions) {
      if (decision instanceof GrantorDecision.GrantTicket grant) {
        hosts.addAll(grant.ticket().hosts());
      } else if (decision instanceof GrantorDecision.GrantCandidate grant) {
        hosts.addAll(grant.candidate().hosts());
      }
    }
    return hosts;
  }

  /** Who waits although nobody has or came first for the hosts may be ready at any time. */
  private List<GrantorDecision> remember(
      Collection<Ticket> looked, List<GrantorDecision> decisions) {
    settled.clear();
    ready.clear();
    settled.addAll(looked);
    for (GrantorDecision decision : decisions) {
      if (decision instanceof GrantorDecision.TicketWaits waits && !waits.behind()) {
        ready.add(waits.ticket());
      }
    }
    return decisions;
  }
}
