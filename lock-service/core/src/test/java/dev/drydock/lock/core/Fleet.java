package dev.drydock.lock.core;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.GrantorPass.Input;
import dev.drydock.lock.core.GrantorPass.Limits;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Hosts, tickets and time as a test says; each pass is that of a new grantor, which knows what is
 * stored and nothing else.
 */
final class Fleet {
  Instant now = Instant.EPOCH;
  final Map<String, BackfillClock> clocks = new HashMap<>();

  /** Hosts that are down whatever anybody does. */
  final Set<String> broken = new HashSet<>();

  /** Hosts that are down until somebody looks: work on them has just ended. */
  final Set<String> unseen = new HashSet<>();

  private final List<String> hosts;
  private final int budget;
  private final Limits limits;
  private final Map<String, LockRecord> locks = new HashMap<>();
  private final Map<String, Instant> released = new HashMap<>();
  private final Map<String, Ticket> tickets = new LinkedHashMap<>();
  private final Map<String, Candidate> wanted = new LinkedHashMap<>();
  private final Map<String, Integer> lasting = new HashMap<>();
  private final Map<String, String> told = new HashMap<>();
  private final Set<String> served = new HashSet<>();
  private long revision = 1;

  /** {@code budget} hosts may be down. */
  Fleet(int count, int budget, Backfill backfill) {
    hosts = IntStream.range(0, count).mapToObj("h%03d"::formatted).toList();
    this.budget = budget;
    limits = new Limits(32, 1000, 1000, Limits.DEFAULT.refreshBelow(), backfill);
  }

  List<String> all() {
    return hosts;
  }

  /** A ticket whose lock is kept for ever, or as long as it may. */
  void ask(String id, Mode mode, int maxSeconds, List<String> wants) {
    Ticket ticket = Samples.ticket(id, mode, ++revision, wants).withDeadline(Instant.MAX);
    tickets.put(id, ticket.lasting(maxSeconds));
  }

  /**
   * A ticket of any name, of a client that waits for a while, and whose lock is released in time.
   */
  void ask(int maxSeconds, Mode mode, List<String> wants, int lasts) {
    String id = "t" + revision;
    ask(id, mode, maxSeconds, wants);
    tickets.computeIfPresent(id, (same, ticket) -> ticket.withDeadline(now.plusSeconds(100)));
    lasting.put(id, lasts);
  }

  /** The client of a ticket asks for an answer now, or does not. */
  void polls(String id, boolean open) {
    tickets.computeIfPresent(
        id, (same, ticket) -> ticket.asking(open ? Optional.of(Instant.MAX) : Optional.empty()));
  }

  void want(String id, List<String> wants) {
    wanted.put(id, new Candidate(id, "r1", wants, "owner", "release 2"));
  }

  void lock(String host, Kind kind) {
    LockRecord lock =
        Grants.batch(
                new Candidate("c", "r1", List.of(host), "owner", "release 2"),
                new Candidates.Proposal("g-" + host, 1, 1))
            .getFirst();
    locks.put(host, kind == Kind.QUARANTINE ? lock.quarantined("does not boot") : lock);
  }

  void unlock(String host) {
    locks.remove(host);
  }

  /** Time goes by; what is over by then ends. */
  void wait(int seconds) {
    now = now.plusSeconds(seconds);
    locks
        .values()
        .removeIf(
            lock ->
                lock.enforcedEnd().filter(end -> !now.isBefore(end)).isPresent()
                    || released.containsKey(lock.id())
                        && !now.isBefore(Objects.requireNonNull(released.get(lock.id()))));
  }

  boolean has(String id) {
    return served.contains(id);
  }

  String told(String id) {
    return told.getOrDefault(id, "nothing");
  }

  BackfillClock clock(String id) {
    return Objects.requireNonNull(clocks.get(id), id + " was passed by nobody");
  }

  void pass() {
    Set<String> alive = new HashSet<>();
    tickets.values().stream()
        .filter(ticket -> ticket.pollDeadline().isAfter(now))
        .forEach(ticket -> alive.add(ticket.id()));
    locks.values().forEach(lock -> alive.add(lock.id()));
    LockTable table =
        new LockTable(
            revision,
            locks,
            tickets.values().stream().sorted(Ticket.ORDER).toList(),
            Map.of(),
            alive,
            Optional.empty(),
            Map.copyOf(clocks));
    Input input = new Input(table, List.copyOf(wanted.values()), List.of(), now);
    GrantorPass.decide(input, round(), limits).forEach(this::apply);
  }

  private Admission.Round round() {
    return new Admission.Round() {
      @Override
      public Verdict judge(
          Collection<String> wants, Collection<String> applications, Collection<LockRecord> held) {
        return verdict(wants, held, unseen);
      }

      @Override
      public Verdict judgeOnceOthersEnd(
          Collection<String> wants,
          Collection<String> applications,
          Collection<LockRecord> ending,
          Collection<LockRecord> staying) {
        return verdict(wants, staying, Set.of());
      }
    };
  }

  private Verdict verdict(
      Collection<String> wants, Collection<LockRecord> held, Set<String> notSeen) {
    Set<String> down = new HashSet<>(broken);
    down.addAll(notSeen);
    held.forEach(lock -> down.add(lock.host()));
    int before = down.size();
    down.addAll(wants);
    int taken = down.size() - before;
    boolean allows = down.size() <= budget;
    String told = down.size() + " of " + budget + " hosts would be down";
    return new Verdict(
        allows ? Verdict.Decision.GRANT : Verdict.Decision.WAIT,
        told,
        List.of(
            new Verdict.Finding(
                "web",
                "maxUnavailable",
                hosts.size(),
                hosts.size() - before,
                taken,
                hosts.size() - budget,
                allows,
                told)));
  }

  private void apply(GrantorDecision decision) {
    revision++;
    switch (decision) {
      case GrantorDecision.GrantTicket(Ticket ticket, Verdict verdict) -> {
        leave(ticket);
        served.add(ticket.id());
        Grants.foreign(ticket, now).forEach(lock -> locks.put(lock.host(), lock));
        Integer lasts = lasting.get(ticket.id());
        if (lasts != null) {
          released.put(ticket.id(), now.plusSeconds(lasts));
        }
      }
      case GrantorDecision.GrantCandidate grant -> served.add(grant.candidate().ticketId());
      case GrantorDecision.TurnAway(Ticket ticket, String reason) -> leave(ticket);
      case GrantorDecision.SetClock(Ticket ticket, BackfillClock clock) ->
          clocks.put(ticket.id(), clock);
      case GrantorDecision.TicketWaits waits -> told.put(waits.ticket().id(), waits.reason());
      default -> {}
    }
  }

  private void leave(Ticket ticket) {
    tickets.remove(ticket.id());
    clocks.remove(ticket.id());
  }
}
