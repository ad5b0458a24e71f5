package dev.drydock.lock.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Ticket.Mode;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Holds every decision against the invariants, knowing only the model of the store before the
 * decision. Shares no code with the pass.
 */
final class Judge {
  private final World world;
  private final Set<String> pending = new HashSet<>();

  Judge(World world) {
    this.world = world;
  }

  /** A pass starts: it knows only the candidates of now. */
  void begin() {
    pending.clear();
    world.pending().forEach(candidate -> pending.add(candidate.ticketId()));
  }

  void before(Decision decision) {
    switch (decision) {
      case Decision.GrantTicket(Ticket ticket, Verdict verdict) -> {
        Ticket queued = world.tickets.get(ticket.id());
        assertThat(queued).as("granted ticket %s is in the queue", ticket.id()).isNotNull();
        granted(ticket.id(), ticket.hosts());
      }
      case Decision.GrantCandidate grant ->
          granted(grant.candidate().ticketId(), grant.candidate().hosts());
      case Decision.TurnAway(Ticket ticket, String reason) -> turnedAway(ticket, reason);
      case Decision.RemoveLapsed(LockRecord lock, String reason) ->
          assertThat(world.excludes(lock)).as("%s lapsed", lock).isFalse();
      case Decision.NoteLapse(LockRecord lock) ->
          assertThat(world.excludes(lock)).as("%s lapsed", lock).isFalse();
      case Decision.CandidateWaits(Candidate candidate, String reason) ->
          assertThat(reason).isNotBlank();
      case Decision.TicketWaits(Ticket ticket, String reason) -> assertThat(reason).isNotBlank();
      case Decision.JudgeCheck judged -> {}
      case Decision.Enqueue enqueue -> {}
      case Decision.Refresh refresh -> {}
    }
  }

  private void granted(String id, List<String> hosts) {
    assertThat(hosts).as("I4: %s gets what it asked for", id).isEqualTo(world.asked.get(id));
    for (String host : hosts) {
      assertThat(world.locks.get(host)).as("I2: %s granted to %s", host, id).isNull();
      assertThat(before(id).filter(other -> hostsOf(other).contains(host)))
          .as("I3: those who wait for %s and were accepted before %s", host, id)
          .isEmpty();
    }
    Set<String> down = world.down();
    down.addAll(hosts);
    assertThat(down).as("I1: down with %s", id).hasSizeLessThanOrEqualTo(world.budget);
  }

  private void turnedAway(Ticket ticket, String reason) {
    assertThat(reason).isNotBlank();
    boolean gone =
        ticket.mode() == Mode.CANDIDATE
            ? world.now.isAfter(ticket.pollDeadline())
            : !world.alive.contains(ticket.id());
    if (gone) {
      return;
    }
    assertThat(ticket.mode()).as("only a try is refused").isEqualTo(Mode.TRY);
    boolean held =
        ticket.hosts().stream()
            .anyMatch(h -> world.locks.containsKey(h) && world.excludes(world.locks.get(h)));
    boolean behind =
        before(ticket.id())
            .anyMatch(other -> hostsOf(other).stream().anyMatch(ticket.hosts()::contains));
    Set<String> down = world.down();
    down.addAll(ticket.hosts());
    assertThat(held || behind || down.size() > world.budget)
        .as("LIVENESS: %s is refused for a cause, not only '%s'", ticket, reason)
        .isTrue();
  }

  /** Tries are answered in the pass that sees them; nobody who could be served is left waiting. */
  void after() {
    for (Ticket ticket : world.tickets.values()) {
      assertThat(ticket.mode())
          .as("LIVENESS: %s is answered at once", ticket)
          .isNotEqualTo(Mode.TRY);
    }
    world.inLine().stream()
        .filter(this::servable)
        .min(Comparator.comparing(world::accepted))
        .ifPresent(
            first -> {
              Set<String> down = world.down();
              down.addAll(hostsOf(first));
              boolean free = hostsOf(first).stream().noneMatch(world.locks::containsKey);
              assertThat(free && down.size() <= world.budget)
                  .as("LIVENESS: %s is first, everything is free, and it still waits", first)
                  .isFalse();
            });
  }

  /** Who could be served and was accepted earlier. */
  private Stream<String> before(String id) {
    return world.inLine().stream()
        .filter(other -> world.accepted(other) < world.accepted(id))
        .filter(this::servable);
  }

  private List<String> hostsOf(String id) {
    return Objects.requireNonNull(world.asked.get(id));
  }

  /** Neither dead nor backing off nor waiting for something only people end. */
  private boolean servable(String id) {
    boolean quarantined =
        hostsOf(id).stream()
            .map(world.locks::get)
            .anyMatch(lock -> lock != null && lock.kind() == LockRecord.Kind.QUARANTINE);
    Ticket ticket = world.tickets.get(id);
    boolean there =
        ticket == null || ticket.mode() == Mode.CANDIDATE
            ? pending.contains(id)
            : world.alive.contains(id);
    return there && !quarantined;
  }
}
