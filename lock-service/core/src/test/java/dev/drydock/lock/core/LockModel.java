package dev.drydock.lock.core;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A model of the store, its clients and its rollouts, driven at random. */
final class LockModel {
  final List<String> hosts = new ArrayList<>();
  final Map<String, LockRecord> locks = new TreeMap<>();
  final Map<String, Ticket> tickets = new LinkedHashMap<>();
  final Map<String, EndedLock> ended = new TreeMap<>();
  final Set<String> alive = new TreeSet<>();
  private final Map<String, Instant> died = new TreeMap<>();
  final Map<String, BackfillClock> clocks = new TreeMap<>();
  final Map<String, Candidate> wanted = new LinkedHashMap<>();
  final Map<String, Long> healthy = new TreeMap<>();

  /** By grant, with the age the store would keep. */
  private final Map<String, Candidate> granted = new TreeMap<>();

  /** Hosts every request asked for, kept to hold grants against. */
  final Map<String, List<String>> asked = new LinkedHashMap<>();

  /** Counts what was accepted into the queue or granted for the first time. */
  private final Map<String, Integer> accepted = new LinkedHashMap<>();

  private final Set<String> backingOff = new TreeSet<>();

  /** Places for which no rollout comes back. */
  final Set<String> abandoned = new TreeSet<>();

  /** How many hosts may be down at once. */
  int budget = Integer.MAX_VALUE;

  Instant now = Instant.EPOCH;
  private final Random random;
  private long revision = 10;
  private long mark = 10;
  private int names;

  LockModel(Random random) {
    this.random = random;
    int count = 2 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      hosts.add("h" + i);
      healthy.put("h" + i, mark);
    }
  }

  @Override
  public String toString() {
    return "at " + now + " " + table() + " of " + pending();
  }

  LockTable table() {
    List<Ticket> ordered = new ArrayList<>(tickets.values());
    ordered.sort(Ticket.ORDER);
    return new LockTable(revision, locks, ordered, ended, alive, Optional.empty(), clocks);
  }

  /** As rollouts propose them: whoever holds the hosts, the queue decides. */
  List<Candidate> pending() {
    return wanted.values().stream().filter(c -> !backingOff.contains(c.ticketId())).toList();
  }

  /** When it was accepted, however often it was turned back since. */
  int accepted(String id) {
    return accepted.getOrDefault(id, Integer.MAX_VALUE);
  }

  private void accept(String id) {
    accepted.putIfAbsent(id, accepted.size());
  }

  /** Accepted and neither granted nor gone: by its ticket, or turned back and pending again. */
  Set<String> inLine() {
    Set<String> line = new TreeSet<>(tickets.keySet());
    pending().stream().map(Candidate::ticketId).filter(accepted::containsKey).forEach(line::add);
    return line;
  }

  private boolean ofBatch(String host) {
    LockRecord lock = locks.get(host);
    return lock != null && lock.kind() == Kind.BATCH;
  }

  private LockRecord lockOn(String host) {
    return Objects.requireNonNull(locks.get(host));
  }

  boolean excludes(LockRecord lock) {
    EndedLock noted = ended.get(lock.host());
    return lock.kind() != Kind.SESSION
        || alive.contains(lock.id())
        || noted == null
        || !noted.isOf(lock);
  }

  /** Its client lives, or may not have heard yet that it does not. */
  boolean believed(LockRecord lock) {
    Instant last = died.getOrDefault(lock.id(), now).plus(lock.delay());
    return lock.kind() == Kind.SESSION && (alive.contains(lock.id()) || now.isBefore(last));
  }

  /** As a grantor sees it that was there all the time. */
  GrantorPass.Witnessed witnessed() {
    Set<String> lapsing = new TreeSet<>();
    locks.values().stream()
        .filter(lock -> lock.kind() == Kind.SESSION && !believed(lock))
        .forEach(lock -> lapsing.add(lock.host()));
    return new GrantorPass.Witnessed(Set.of(), lapsing);
  }

  /** Counted the simple way: locked, lapsed, or not seen healthy since its last lock ended. */
  Set<String> down() {
    Set<String> down = new TreeSet<>(locks.keySet());
    hosts.stream().filter(host -> !seenSince(host)).forEach(down::add);
    return down;
  }

  private boolean seenSince(String host) {
    EndedLock end = ended.get(host);
    return end == null || healthy.getOrDefault(host, 0L) >= end.mark();
  }

  /** The admission under test conditions: no more than {@code budget} hosts down. */
  Admission.Round round() {
    return new Admission.Round() {
      @Override
      public Verdict judge(
          Collection<String> wanted, Collection<String> applications, Collection<LockRecord> held) {
        Set<String> down = new TreeSet<>(wanted);
        held.forEach(lock -> down.add(lock.host()));
        hosts.stream().filter(host -> !seenSince(host)).forEach(down::add);
        boolean allows = down.size() <= budget;
        return new Verdict(
            allows ? Verdict.Decision.GRANT : Verdict.Decision.WAIT,
            down.size() + " of " + budget + " hosts would be down",
            List.of());
      }

      @Override
      public boolean healthySince(String host, long since) {
        return healthy.getOrDefault(host, 0L) >= since;
      }
    };
  }

  // What clients, rollouts and hosts do.

  /** A ticket for a lock that lasts no longer than a while. */
  void enqueueBounded() {
    Ticket ticket = enqueue(Mode.WAIT);
    tickets.put(ticket.id(), ticket.lasting(5 + random.nextInt(60)));
  }

  /** What lasted as long as it may is not alive any more. */
  void expire() {
    locks.values().stream()
        .filter(lock -> lock.enforcedEnd().filter(end -> !now.isBefore(end)).isPresent())
        .forEach(lock -> dies(lock.id()));
  }

  Ticket enqueue(Mode mode) {
    // Ids fall while revisions rise, so that an order by id is wrong.
    String id = "t" + (9999 - names++);
    List<String> some = someHosts();
    Ticket ticket = Samples.ticket(id, mode, ++revision, some).withDeadline(now.plusSeconds(100));
    tickets.put(id, ticket);
    accept(id);
    alive.add(id);
    asked.put(id, some);
    return ticket;
  }

  void want() {
    String id = "c" + (9999 - names++);
    Candidate candidate =
        new Candidate(id, "r" + random.nextInt(2), someHosts(), "owner", "release 2");
    wanted.put(id, candidate);
    asked.put(id, candidate.hosts());
  }

  private List<String> someHosts() {
    Set<String> some = new TreeSet<>();
    int count = 1 + random.nextInt(Math.min(3, hosts.size()));
    while (some.size() < count) {
      some.add(hosts.get(random.nextInt(hosts.size())));
    }
    return List.copyOf(some);
  }

  /** A client dies: its ticket or lock is left without a holder. */
  void die() {
    pick(alive).ifPresent(this::dies);
  }

  /** Only the grantor ends what it left. */
  boolean dead(String id) {
    return died.containsKey(id);
  }

  void dies(String id) {
    if (alive.remove(id)) {
      died.put(id, now);
    }
  }

  void release() {
    pick(locks.keySet()).ifPresent(host -> end(lockOn(host).id()));
  }

  void end(String id) {
    locks.values().stream()
        .filter(lock -> lock.id().equals(id) && lock.kind() != Kind.QUARANTINE)
        .toList()
        .forEach(
            lock -> {
              locks.remove(lock.host());
              ended.put(lock.host(), new EndedLock(lock.host(), id, ++mark, "owner", "done"));
            });
    alive.remove(id);
  }

  void quarantine() {
    pick(locks.keySet())
        .filter(this::ofBatch)
        .ifPresent(host -> locks.put(host, lockOn(host).quarantined("does not boot")));
  }

  /** A check turns a batch back: its hosts are wanted again, but not at once. */
  void hold() {
    pick(locks.keySet())
        .filter(this::ofBatch)
        .map(host -> lockOn(host).id())
        .filter(grant -> locks.values().stream().noneMatch(lock -> quarantineOf(grant, lock)))
        .ifPresent(
            grant -> {
              Candidate candidate = Objects.requireNonNull(granted.get(grant));
              end(grant);
              wanted.put(candidate.ticketId(), candidate);
              backingOff.add(candidate.ticketId());
            });
  }

  private static boolean quarantineOf(String grant, LockRecord lock) {
    return lock.id().equals(grant) && lock.kind() == Kind.QUARANTINE;
  }

  /** A rollout ends without what it waits for. */
  void abandon() {
    pick(wanted.keySet())
        .ifPresent(
            id -> {
              wanted.remove(id);
              backingOff.remove(id);
              abandoned.add(id);
            });
  }

  void comeBack() {
    pick(backingOff).ifPresent(backingOff::remove);
  }

  void repair() {
    locks.values().stream()
        .filter(lock -> lock.kind() == Kind.QUARANTINE)
        .findAny()
        .ifPresent(lock -> locks.remove(lock.host()));
  }

  void observe() {
    healthy.put(hosts.get(random.nextInt(hosts.size())), ++mark);
  }

  private Optional<String> pick(Set<String> from) {
    return from.stream().skip(from.isEmpty() ? 0 : random.nextInt(from.size())).findFirst();
  }

  // What the grantor's decisions do to the store.

  void apply(GrantorDecision decision) {
    revision++;
    switch (decision) {
      case GrantorDecision.NoteLapse(LockRecord lock) -> leave(lock);
      case GrantorDecision.RemoveLapsed(LockRecord lock, String reason) -> {
        locks.remove(lock.host());
      }
      case GrantorDecision.JudgeCheck judged ->
          judged.hold().forEach(record -> locks.put(record.host(), record));
      case GrantorDecision.TurnAway(Ticket ticket, String reason) -> leave(ticket);
      case GrantorDecision.GrantTicket(Ticket ticket, Verdict verdict) -> {
        leave(ticket);
        Grants.foreign(ticket, now).forEach(this::lock);
      }
      case GrantorDecision.GrantCandidate grant -> {
        grant.ticket().ifPresent(this::leave);
        Candidate candidate = grant.candidate();
        wanted.remove(candidate.ticketId());
        accept(candidate.ticketId());
        Seniority age = candidate.seniority().orElse(new Seniority(revision, 0));
        granted.put("g-" + candidate.ticketId(), candidate.aged(Optional.of(age)));
        Grants.batch(candidate, new Candidates.Proposal("g-" + candidate.ticketId(), 1, 1))
            .forEach(this::lock);
      }
      case GrantorDecision.Enqueue(List<Candidate> candidates) -> {
        for (int i = 0; i < candidates.size(); i++) {
          Ticket t = Grants.placeOf(candidates.get(i), i, now.plusSeconds(1000));
          tickets.put(t.id(), t.at(revision));
          accept(t.id());
        }
      }
      case GrantorDecision.TicketWaits waits -> {}
      case GrantorDecision.SetClock(Ticket ticket, BackfillClock clock) ->
          clocks.put(ticket.id(), clock);
      case GrantorDecision.CandidateWaits waits -> {}
      case GrantorDecision.Refresh refresh -> {}
    }
  }

  private void lock(LockRecord record) {
    locks.put(record.host(), record.withToken(revision));
  }

  private void leave(Ticket ticket) {
    tickets.remove(ticket.id());
    clocks.remove(ticket.id());
  }

  private void leave(LockRecord lock) {
    ended.put(
        lock.host(),
        new EndedLock(lock.host(), lock.id(), lock.token(), ++mark, "grantor", "lapsed"));
  }
}
