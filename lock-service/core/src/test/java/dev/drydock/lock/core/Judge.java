package dev.drydock.lock.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Holds every decision against the invariants, knowing only the model of the store before the
 * decision. Shares no code with the pass.
 */
final class Judge {
  private final LockModel lockModel;
  private final Backfill backfill;
  private final Set<String> pending = new HashSet<>();

  /** What somebody had when the pass began; that a lock lapsed is known to the next one. */
  private final Set<String> taken = new HashSet<>();

  /** For how long those were passed that somebody went before. */
  private final Map<String, Duration> passed = new HashMap<>();

  private final Set<String> stoodStill = new HashSet<>();

  /** Whoever went before others in this pass: they were judged without it. */
  private final Set<String> wentBefore = new HashSet<>();

  private Instant last = Instant.EPOCH;

  Judge(LockModel lockModel, Backfill backfill) {
    this.lockModel = lockModel;
    this.backfill = backfill;
  }

  /** A pass starts: it knows only the candidates of now. */
  void begin() {
    pending.clear();
    taken.clear();
    lockModel.locks.values().stream()
        .filter(lockModel::excludes)
        .forEach(lock -> taken.add(lock.host()));
    lockModel.pending().forEach(candidate -> pending.add(candidate.ticketId()));
    Duration since = Duration.between(last, lockModel.now);
    passed.replaceAll((id, spent) -> stoodStill.contains(id) ? spent : spent.plus(since));
    last = lockModel.now;
    wentBefore.clear();
    stoodStill.clear();
    passed.keySet().stream().filter(id -> !servable(id)).forEach(stoodStill::add);
  }

  void before(GrantorDecision decision) {
    switch (decision) {
      case GrantorDecision.GrantTicket(Ticket ticket, Verdict verdict) -> {
        Ticket queued = lockModel.tickets.get(ticket.id());
        assertThat(queued).as("granted ticket %s is in the queue", ticket.id()).isNotNull();
        granted(ticket.id(), ticket.hosts());
      }
      case GrantorDecision.GrantCandidate grant ->
          granted(grant.candidate().ticketId(), grant.candidate().hosts());
      case GrantorDecision.TurnAway(Ticket ticket, String reason) -> turnedAway(ticket, reason);
      case GrantorDecision.RemoveLapsed(LockRecord lock, String reason) ->
          assertThat(lockModel.excludes(lock)).as("%s lapsed", lock).isFalse();
      case GrantorDecision.NoteLapse(LockRecord lock) ->
          assertThat(lockModel.believed(lock)).as("I2: somebody believes in %s", lock).isFalse();
      case GrantorDecision.CandidateWaits(Candidate candidate, String reason) ->
          assertThat(reason).isNotBlank();
      case GrantorDecision.TicketWaits waits -> assertThat(waits.reason()).isNotBlank();
      case GrantorDecision.SetClock clock -> {}
      case GrantorDecision.JudgeCheck judged -> {}
      case GrantorDecision.Enqueue enqueue -> {}
      case GrantorDecision.Refresh refresh -> {}
    }
  }

  private void granted(String id, List<String> hosts) {
    assertThat(hosts).as("I4: %s gets what it asked for", id).isEqualTo(lockModel.asked.get(id));
    for (String host : hosts) {
      assertThat(lockModel.locks.get(host)).as("I2: %s granted to %s", host, id).isNull();
      assertThat(
              before(id)
                  .filter(other -> hostsOf(other).contains(host))
                  .filter(other -> !goesBefore(id, other)))
          .as("I3: those who wait for %s and were accepted before %s; %s", host, id, lockModel)
          .isEmpty();
    }
    assertThat(before(id).filter(this::waitedEnough).filter(other -> eats(hosts, other)))
        .as("BUDGET: those before %s whose share it eats", id)
        .isEmpty();
    passed.remove(id);
    if (before(id).anyMatch(other -> shares(hosts, other))) {
      wentBefore.add(id);
    }
    before(id)
        .filter(lockModel.tickets::containsKey)
        .filter(other -> shares(hosts, other) || eats(hosts, other))
        .forEach(other -> passed.putIfAbsent(other, Duration.ZERO));
    Set<String> down = lockModel.down();
    down.addAll(hosts);
    assertThat(down).as("I1: down with %s", id).hasSizeLessThanOrEqualTo(lockModel.budget);
  }

  private void turnedAway(Ticket ticket, String reason) {
    assertThat(reason).isNotBlank();
    boolean gone =
        ticket.mode() == Mode.CANDIDATE
            ? lockModel.now.isAfter(ticket.pollDeadline())
                || lockModel.abandoned.contains(ticket.id())
            : !lockModel.alive.contains(ticket.id());
    if (gone) {
      return;
    }
    assertThat(ticket.mode()).as("only a try is refused").isEqualTo(Mode.TRY);
    boolean held =
        ticket.hosts().stream()
            .anyMatch(
                h ->
                    taken.contains(h)
                        || lockModel.locks.containsKey(h)
                            && lockModel.excludes(lockModel.locks.get(h)));
    boolean behind =
        before(ticket.id())
            .anyMatch(other -> hostsOf(other).stream().anyMatch(ticket.hosts()::contains));
    Set<String> down = lockModel.down();
    down.addAll(ticket.hosts());
    boolean eats = before(ticket.id()).anyMatch(other -> tooMany(ticket.hosts(), other));
    assertThat(held || behind || eats || down.size() > lockModel.budget)
        .as("LIVENESS: %s is refused for a cause, not only '%s'", ticket, reason)
        .isTrue();
  }

  /** Tries are answered in the pass that sees them; nobody who could be served is left waiting. */
  void after() {
    for (Ticket ticket : lockModel.tickets.values()) {
      assertThat(ticket.mode())
          .as("LIVENESS: %s is answered at once", ticket)
          .isNotEqualTo(Mode.TRY);
      assertThat(lockModel.abandoned)
          .as("LIVENESS: a place that nobody comes back for is gone at once")
          .doesNotContain(ticket.id());
    }
    lockModel.inLine().stream()
        .filter(this::servable)
        .min(Comparator.comparing(lockModel::accepted))
        .ifPresent(
            first -> {
              Set<String> down = lockModel.down();
              down.addAll(hostsOf(first));
              boolean free = hostsOf(first).stream().noneMatch(lockModel.locks::containsKey);
              assertThat(free && down.size() <= lockModel.budget)
                  .as("LIVENESS: %s is first, everything is free, and it still waits", first)
                  .isFalse();
            });
  }

  /** Who could be served and was accepted earlier. */
  private Stream<String> before(String id) {
    return lockModel.inLine().stream()
        .filter(other -> lockModel.accepted(other) < lockModel.accepted(id))
        .filter(this::servable);
  }

  private boolean shares(List<String> hosts, String other) {
    return hostsOf(other).stream().anyMatch(hosts::contains);
  }

  private boolean waitedEnough(String id) {
    return passed.getOrDefault(id, Duration.ZERO).compareTo(backfill.passedMax()) >= 0;
  }

  /** It is gone by its maximum before the other one's locks are, and before that one's patience. */
  private boolean goesBefore(String id, String other) {
    return goesBefore(id, other, false, new HashMap<>());
  }

  /**
   * The same.
   *
   * @param surely also if its client dies and its lock goes on for a lease and the margin, and if
   *     the other was passed for as long as its clock says, which may start for less
   */
  private boolean goesBefore(
      String id, String other, boolean surely, Map<String, Optional<Instant>> known) {
    Ticket ticket = lockModel.tickets.get(id);
    if (ticket == null
        || ticket.mode() != Mode.WAIT
        || ticket.maxSeconds() == 0
        || !lockModel.tickets.containsKey(other)
        || hostsOf(other).stream().anyMatch(this::deadHas)) {
      return false;
    }
    Duration spare = surely ? backfill.margin().plusSeconds(ticket.leaseSeconds()) : Duration.ZERO;
    Instant gone = lockModel.now.plusSeconds(ticket.maxSeconds()).plus(spare);
    Duration spent = passed.getOrDefault(other, Duration.ZERO);
    BackfillClock clock = lockModel.clocks.get(other);
    if (surely && clock != null && clock.at(lockModel.now).compareTo(spent) > 0) {
      spent = clock.at(lockModel.now);
    }
    Duration left = backfill.passedMax().minus(spent);
    boolean inTime = begins(other, known).filter(gone::isAfter).isEmpty();
    return inTime && !gone.isAfter(lockModel.now.plus(left));
  }

  /**
   * No earlier than what it lacks ends, or than those begin that it may not go before; empty if
   * nothing says, as of whoever waits for the budget alone.
   */
  private Optional<Instant> begins(String id, Map<String, Optional<Instant>> known) {
    Optional<Instant> found = known.get(id);
    if (found != null) {
      return found;
    }
    Optional<Instant> begins = Optional.of(Instant.MIN);
    for (String host : hostsOf(id)) {
      LockRecord lock = lockModel.locks.get(host);
      boolean excludes = lock != null && (taken.contains(host) || lockModel.excludes(lock));
      boolean held = lock != null && excludes && !wentBefore.contains(lock.id());
      List<Optional<Instant>> ends =
          lock != null && held
              ? List.of(ends(lock))
              : before(id)
                  .filter(other -> shares(List.of(host), other))
                  .filter(other -> !goesBefore(id, other, true, known))
                  .map(other -> begins(other, known))
                  .toList();
      for (Optional<Instant> end : ends) {
        begins = begins.flatMap(one -> end.map(other -> other.isAfter(one) ? other : one));
      }
    }
    begins = begins.filter(when -> !when.equals(Instant.MIN));
    known.put(id, begins);
    return begins;
  }

  /** Whether a client that is gone has a host, which is free soon. */
  private boolean deadHas(String host) {
    LockRecord lock = lockModel.locks.get(host);
    return lock != null && taken.contains(host) && dead(lock);
  }

  private boolean dead(LockRecord lock) {
    return lock.kind() == LockRecord.Kind.SESSION && !lockModel.alive.contains(lock.id());
  }

  /** What a dead client has is free soon. */
  private Optional<Instant> ends(LockRecord lock) {
    if (dead(lock)) {
      return Optional.of(lockModel.now);
    }
    return lock.kind() == LockRecord.Kind.SESSION && lock.maxSeconds() > 0
        ? lock.grantedAt().map(since -> since.plusSeconds(lock.maxSeconds()))
        : Optional.empty();
  }

  /** The other one waits for nothing but the budget, and would not fit beside these hosts. */
  private boolean eats(List<String> hosts, String other) {
    boolean free =
        hostsOf(other).stream().noneMatch(lockModel.locks::containsKey)
            && before(other).noneMatch(first -> shares(hostsOf(other), first));
    return free && tooMany(List.of(), other) && tooMany(hosts, other);
  }

  private boolean tooMany(List<String> hosts, String other) {
    Set<String> down = lockModel.down();
    down.addAll(hostsOf(other));
    down.addAll(hosts);
    return down.size() > lockModel.budget;
  }

  private List<String> hostsOf(String id) {
    return Objects.requireNonNull(lockModel.asked.get(id));
  }

  /** Neither dead nor backing off nor waiting for something only people end. */
  private boolean servable(String id) {
    boolean quarantined =
        hostsOf(id).stream()
            .map(lockModel.locks::get)
            .anyMatch(lock -> lock != null && lock.kind() == LockRecord.Kind.QUARANTINE);
    Ticket ticket = lockModel.tickets.get(id);
    boolean there =
        ticket == null || ticket.mode() == Mode.CANDIDATE
            ? pending.contains(id)
            : lockModel.alive.contains(id);
    return there && !quarantined;
  }
}
