package dev.drydock.impact.simulation;

import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Ticket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What etcd has, and the policies in force. Each write is a transaction with its compares. */
final class Store {
  private final SimulatedFleet simulatedFleet;
  private final Map<String, LockRecord> locks = new TreeMap<>();
  private final Map<String, Ticket> tickets = new HashMap<>();
  private final Map<String, EndedLock> ended = new HashMap<>();
  private final Set<String> alive = new HashSet<>();
  private final Map<String, BackfillClock> passed = new HashMap<>();
  private final Map<String, String> policies = new TreeMap<>();
  private Optional<Brake> brake = Optional.empty();
  private long revision = 1;
  private long generation = 1;
  private int term = 1;

  Store(SimulatedFleet simulatedFleet) {
    this.simulatedFleet = simulatedFleet;
  }

  LockTable table() {
    List<Ticket> queue = tickets.values().stream().sorted(Ticket.ORDER).toList();
    return new LockTable(
        revision,
        new HashMap<>(locks),
        queue,
        new HashMap<>(ended),
        new HashSet<>(alive),
        brake,
        new HashMap<>(passed));
  }

  /** The texts of all policies, by name. */
  Map<String, String> policies() {
    return Map.copyOf(policies);
  }

  /** The next number of the sequence that orders readings and effects. */
  long mark() {
    return simulatedFleet.mark();
  }

  long generation() {
    return generation;
  }

  /** Counts elections. */
  int term() {
    return term;
  }

  void elect() {
    term++;
    revision++;
  }

  void apply(String name, String policy) {
    policies.put(name, policy);
    generation++;
  }

  void brake(Optional<Brake> pulled) {
    brake = pulled;
    generation++;
    revision++;
  }

  /** Client and ticket come together; a candidate's client is its rollout. */
  void enter(Collection<Ticket> group) {
    revision++;
    for (Ticket ticket : group) {
      tickets.put(ticket.id(), ticket.at(revision));
      if (ticket.hasAliveKey()) {
        alive.add(ticket.id());
      }
    }
  }

  void replace(Ticket ticket) {
    tickets.computeIfPresent(ticket.id(), (id, there) -> ticket);
    revision++;
  }

  boolean waits(String ticket) {
    return tickets.containsKey(ticket);
  }

  void leave(String ticket) {
    tickets.remove(ticket);
    passed.remove(ticket);
    alive.remove(ticket);
    revision++;
  }

  /** Its lease ran out, or its term is over. */
  void die(String client) {
    alive.remove(client);
    revision++;
  }

  boolean lives(String client) {
    return alive.contains(client);
  }

  void clock(Ticket ticket, BackfillClock clock) {
    if (tickets.containsKey(ticket.id())) {
      passed.put(ticket.id(), clock);
      revision++;
    }
  }

  /**
   * Locks all the hosts, or none when one of them is taken or the ticket is gone.
   *
   * @return the token
   */
  Optional<Long> lock(List<LockRecord> records, Optional<Ticket> ticket) {
    boolean there = ticket.map(one -> tickets.containsKey(one.id())).orElse(true);
    if (!there || records.stream().anyMatch(record -> locks.containsKey(record.host()))) {
      return Optional.empty();
    }
    revision++;
    records.forEach(record -> locks.put(record.host(), record.withToken(revision)));
    ticket.ifPresent(
        one -> {
          tickets.remove(one.id());
          passed.remove(one.id());
        });
    return Optional.of(revision);
  }

  boolean has(LockRecord lock) {
    LockRecord there = locks.get(lock.host());
    return there != null && there.id().equals(lock.id()) && there.token() == lock.token();
  }

  /** The records as they are now, in place of what they were. */
  void change(List<LockRecord> records) {
    revision++;
    records.stream().filter(this::has).forEach(record -> locks.put(record.host(), record));
  }

  List<LockRecord> locksOf(String id) {
    return locks.values().stream().filter(lock -> lock.id().equals(id)).toList();
  }

  /** Observations from before the mark say nothing about the host any more. */
  void note(LockRecord lock, long mark) {
    if (has(lock)) {
      revision++;
      ended.put(lock.host(), new EndedLock(lock.host(), lock.id(), lock.token(), mark, "", ""));
    }
  }

  /** Ends a lock on its host; what was noted of its end is kept. */
  void end(LockRecord lock, long mark) {
    if (!has(lock)) {
      return;
    }
    EndedLock noted = ended.get(lock.host());
    if (noted == null || !noted.isOf(lock)) {
      note(lock, mark);
    }
    revision++;
    locks.remove(lock.host());
  }

  /** Ends all that is left of a lock, as of now. */
  void end(String id) {
    new ArrayList<>(locksOf(id)).forEach(lock -> end(lock, simulatedFleet.mark()));
    alive.remove(id);
  }
}
