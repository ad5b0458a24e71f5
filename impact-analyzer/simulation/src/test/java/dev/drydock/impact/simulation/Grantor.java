package dev.drydock.impact.simulation;

import dev.drydock.impact.core.FleetRound;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Ticket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The elected process and its successors: reads, decides, commits later what still may be. */
final class Grantor {
  private static final double LEASE_SECONDS = 10;
  private static final double STALLS = 0.02;
  private static final Duration PLACE_KEPT = Duration.ofMinutes(10);

  private final Agenda agenda;
  private final Store store;
  private final Analyzer analyzer;
  private final History history;
  private final Rollouts rollouts;
  private final Clients clients;
  private final Controllers controllers;
  private final Verifier verifier;
  private final Bug bug;
  private final Map<LockRecord, Instant> expired = new HashMap<>();
  private boolean calm;
  private boolean woken;
  private int deciding;

  Grantor(
      Agenda agenda,
      Store store,
      Analyzer analyzer,
      History history,
      Rollouts rollouts,
      Clients clients,
      Controllers controllers,
      Verifier verifier,
      Bug bug) {
    this.agenda = agenda;
    this.store = store;
    this.analyzer = analyzer;
    this.history = history;
    this.rollouts = rollouts;
    this.clients = clients;
    this.controllers = controllers;
    this.verifier = verifier;
    this.bug = bug;
  }

  /** What one pass goes by, and what it must find unchanged. */
  private record Reading(int term, long generation, LockTable table, KnownState known) {}

  void calm() {
    calm = true;
  }

  /** Something changed. */
  void wake() {
    if (!woken) {
      woken = true;
      agenda.in(agenda.between(0.02, 0.5), this::pass);
    }
  }

  private void pass() {
    woken = false;
    if (deciding == store.term()) {
      agenda.in(0.5, this::wake);
      return;
    }
    deciding = store.term();
    LockTable table = store.table();
    Reading reading =
        new Reading(
            store.term(), store.generation(), table, verifier.knows(agenda.now(), table, wanted()));
    List<GrantorDecision> decisions = decide(reading.known());
    boolean stalls = !calm && agenda.chance(STALLS);
    if (stalls) {
      agenda.in(LEASE_SECONDS, this::elect);
    }
    double takes = stalls ? agenda.between(5, 30) : agenda.between(0.01, 1);
    agenda.in(takes, () -> commit(reading, decisions));
  }

  private Set<String> wanted() {
    return rollouts.pending().stream().map(Candidate::ticketId).collect(Collectors.toSet());
  }

  private void elect() {
    store.elect();
    analyzer.elected();
    wake();
  }

  private List<GrantorDecision> decide(KnownState known) {
    LockTable table = seen(known.table());
    Admission.Round round =
        new FleetRound(analyzer.fleet(table), analyzer.policies(), Set.of(), controllers.begin());
    GrantorPass.Input input =
        new GrantorPass.Input(
            table, rollouts.pending(), rollouts.checks(), agenda.now(), witnessed(table));
    List<GrantorDecision> decisions =
        GrantorPass.decide(
            input, new Blinkered(round, known, verifier, bug), GrantorPass.Limits.DEFAULT);
    controllers.put();
    return decisions;
  }

  /** Who takes over has heard of every lease that ran out before. */
  private GrantorPass.Witnessed witnessed(LockTable table) {
    Set<String> lapsing = new HashSet<>();
    Map<LockRecord, Instant> before = Map.copyOf(expired);
    expired.clear();
    for (LockRecord lock : table.locks().values()) {
      if (table.expired(lock) && !table.noted(lock)) {
        Instant since = before.getOrDefault(lock, agenda.now());
        expired.put(lock, since);
        if (!before.containsKey(lock)) {
          agenda.in(lock.delay().toSeconds() + 1, this::wake);
        }
        if (!agenda.now().isBefore(since.plus(lock.delay()))) {
          lapsing.add(lock.host());
        }
      }
    }
    return new GrantorPass.Witnessed(Set.of(), lapsing);
  }

  private LockTable seen(LockTable table) {
    List<Ticket> tickets = table.tickets();
    if (bug == Bug.FORGETS_PLACES) {
      tickets = tickets.stream().filter(ticket -> ticket.hasAliveKey()).toList();
    } else if (bug == Bug.NEWEST_FIRST) {
      int last = tickets.size();
      List<Ticket> reversed = new ArrayList<>();
      for (int i = 0; i < last; i++) {
        reversed.add(tickets.get(last - 1 - i).at(i + 1));
      }
      tickets = reversed;
    }
    return new LockTable(
        table.revision(),
        table.locks(),
        tickets,
        table.ended(),
        table.alive(),
        bug == Bug.IGNORES_THE_BRAKE ? Optional.empty() : table.brake(),
        table.passed());
  }

  /** Nothing after what could not be carried out. */
  private void commit(Reading reading, List<GrantorDecision> decisions) {
    for (GrantorDecision decision : decisions) {
      boolean leads = reading.term() == store.term();
      boolean fenced = leads && reading.generation() == store.generation();
      boolean goesOn =
          switch (bug) {
            case COMMITS_WHATEVER_CHANGED -> leads;
            case COMMITS_AFTER_IT_WAS_DEPOSED -> reading.generation() == store.generation();
            default -> fenced;
          };
      if (!goesOn || !carryOut(reading, decision)) {
        break;
      }
    }
    if (deciding == reading.term()) {
      deciding = 0;
    }
    if (!decisions.stream().allMatch(Grantor::waits)) {
      wake();
    }
  }

  private static boolean waits(GrantorDecision decision) {
    return decision instanceof GrantorDecision.TicketWaits
        || decision instanceof GrantorDecision.CandidateWaits;
  }

  private boolean carryOut(Reading reading, GrantorDecision decision) {
    switch (decision) {
      case GrantorDecision.NoteLapse(LockRecord lock) -> store.note(lock, store.mark());
      case GrantorDecision.RemoveLapsed(LockRecord lock, String reason) ->
          store.end(lock, store.mark());
      case GrantorDecision.JudgeCheck judged -> {
        if (!judged.hold().stream().allMatch(store::has)) {
          return false;
        }
        if (judged.verdict().granted()) {
          verifier.passes(reading.known(), store.table(), judged.check());
          store.change(judged.hold());
          if (judged.check().kind() == Check.Kind.OPEN) {
            history.opened(judged.check().grantId(), judged.check().hosts());
          }
        }
        rollouts.checked(judged.check(), judged.verdict());
      }
      case GrantorDecision.TurnAway(Ticket ticket, String reason) -> {
        store.leave(ticket.id());
        clients.turnedAway(ticket.id());
      }
      case GrantorDecision.GrantTicket grant -> {
        return grant(reading, grant.ticket());
      }
      case GrantorDecision.GrantCandidate grant -> {
        return grant(reading, grant.candidate(), grant.ticket());
      }
      case GrantorDecision.SetClock clock -> store.clock(clock.ticket(), clock.clock());
      case GrantorDecision.Enqueue(List<Candidate> candidates) -> enqueue(candidates);
      case GrantorDecision.Refresh(Ticket ticket) ->
          store.replace(ticket.withDeadline(agenda.now().plus(PLACE_KEPT)));
      case GrantorDecision.TicketWaits waits -> {}
      case GrantorDecision.CandidateWaits waits -> {}
    }
    return true;
  }

  private void enqueue(List<Candidate> candidates) {
    List<Ticket> places = new ArrayList<>();
    for (Candidate candidate : candidates) {
      if (!store.waits(candidate.ticketId())) {
        places.add(Grants.placeOf(candidate, places.size(), agenda.now().plus(PLACE_KEPT)));
      }
    }
    store.enter(places);
  }

  private boolean grant(Reading reading, Ticket ticket) {
    LockTable before = store.table();
    if (!store.lives(ticket.id())) {
      return false;
    }
    List<LockRecord> records = Grants.foreign(ticket, agenda.now());
    Optional<Long> token = store.lock(records, Optional.of(ticket));
    token.ifPresent(
        at -> {
          verifier.grants(reading.known(), before, Verifier.Taker.of(ticket), reading.term());
          history.locked(ticket.id(), ticket.hosts());
          clients.granted(ticket.id());
        });
    return token.isPresent();
  }

  private boolean grant(Reading reading, Candidate candidate, Optional<Ticket> place) {
    LockTable before = store.table();
    Optional<String> grant = rollouts.propose(candidate);
    if (grant.isEmpty()) {
      return false;
    }
    Proposal proposal = new Proposal(grant.get(), 1, 0);
    Optional<Long> token = store.lock(Grants.batch(candidate, proposal), place);
    token.ifPresent(
        at -> {
          verifier.grants(reading.known(), before, Verifier.Taker.of(candidate), reading.term());
          history.granted(grant.get());
          rollouts.committed(grant.get(), candidate, at);
        });
    return token.isPresent();
  }
}
