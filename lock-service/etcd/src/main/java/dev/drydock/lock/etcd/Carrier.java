package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.Decision;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Cause;
import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.GrantTransactions;
import dev.drydock.lock.core.txn.Groups;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.etcd.GrantorShell.Result;
import dev.drydock.proto.crash.CrashPoint;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the decisions of a pass, in groups. Stops at the first that cannot be carried out,
 * because those after it were made in its knowledge. Confined to the grantor's thread.
 *
 * <p>An unknown outcome is never guessed. The generation is bumped, which fails the transaction if
 * it is still on its way, and the next pass reads what there is; a proposed grant is settled by
 * {@link Holds#voidGrant} besides.
 */
final class Carrier {
  private static final Logger log = LoggerFactory.getLogger(Carrier.class);
  private static final Duration CANDIDATE_KEPT = Duration.ofMinutes(10);

  private final GrantorParts parts;
  private final EtcdConnection etcd;
  private final EtcdHolds holds;
  private final NoteLease notes;
  private final Map<String, String> explained = new HashMap<>();
  private boolean unsettled;
  private long revision;

  Carrier(GrantorParts parts) {
    this.parts = parts;
    etcd = parts.etcd();
    holds = new EtcdHolds(etcd, parts.mirror());
    notes = new NoteLease(etcd);
  }

  /** What the decisions were made on. */
  record Trip(Replica replica, Fence fence, Leadership leadership, boolean whole) {

    GrantTransactions transactions() {
      return new GrantTransactions(replica.snapshot(List.of()));
    }
  }

  /**
   * The revision of the last commit of this grantor, which the next pass must not be older than.
   */
  long revision() {
    return revision;
  }

  /** Whatever is still on its way fails from now on. */
  void settle() {
    if (unsettled) {
      Cause cause = new Cause("settle", "grantor", "the outcome of a transaction is not known");
      Transaction bump = ControlTransactions.bumpGeneration(cause);
      revision = etcd.repeat(() -> etcd.commit(bump)).getHeader().getRevision();
      unsettled = false;
    }
  }

  Result carryOut(List<Decision> decisions, Trip trip) {
    if (trip.whole()) {
      forgetAllBut(decisions);
    }
    for (List<Decision> group : Groups.of(decisions)) {
      if (parts.fenced() && !trip.leadership().valid()) {
        return Result.DEPOSED;
      }
      if (!carryOutGroup(group, trip)) {
        return Result.AGAIN;
      }
    }
    return Result.DONE;
  }

  private boolean carryOutGroup(List<Decision> group, Trip trip) {
    return switch (group.getFirst()) {
      case Decision.GrantTicket grant -> tickets(group, trip);
      case Decision.TurnAway away -> tickets(group, trip);
      case Decision.TicketWaits waits -> explain(group, trip);
      case Decision.GrantCandidate grant -> grant(grant, trip);
      case Decision.JudgeCheck judged -> check(judged, trip);
      case Decision.NoteLapse(LockRecord lock) ->
          commit(trip.transactions().noteLapse(lock, parts.marks().next()), trip);
      case Decision.RemoveLapsed(LockRecord lock, String reason) ->
          removeLapsed(lock, reason, trip);
      case Decision.CandidateWaits(Candidate candidate, String reason) -> {
        if (news(candidate.ticketId(), reason)) {
          parts.candidates().waiting(candidate, reason);
          explained.put(candidate.ticketId(), reason);
        }
        yield true;
      }
      case Decision.Enqueue(List<Candidate> candidates) ->
          commit(trip.transactions().enqueue(candidates, candidateDeadline()), trip);
      case Decision.Refresh(Ticket ticket) ->
          commit(
              trip.transactions().refresh(ticket, candidateDeadline()),
              trip,
              List.of(new Key.Ticket(ticket.id(), ticket.index())));
    };
  }

  private boolean removeLapsed(LockRecord lock, String reason, Trip trip) {
    try {
      long mark = parts.marks().next();
      return commit(trip.transactions().removeLapsed(lock, mark, reason, notes.id()), trip);
    } catch (EtcdRefusedException leaseGone) {
      notes.forget();
      return false;
    }
  }

  /** Grants and refusals of tickets. */
  private boolean tickets(List<Decision> group, Trip trip) {
    GrantTransactions transactions = trip.transactions();
    Instant now = parts.clock().instant();
    try {
      List<Transaction> parts = new ArrayList<>();
      for (Decision decision : group) {
        if (decision instanceof Decision.GrantTicket grant) {
          parts.add(transactions.grant(grant.ticket(), now));
        } else if (decision instanceof Decision.TurnAway(Ticket ticket, String reason)) {
          parts.add(transactions.turnAway(ticket, reason, notes.id()));
        }
      }
      List<Boolean> carried = commitTogether(parts, trip);
      for (int i = 0; i < carried.size(); i++) {
        if (carried.get(i)
            && group.get(i) instanceof Decision.GrantTicket(Ticket ticket, var why)) {
          this.parts.metrics().grants.inc();
          log.debug("granted {} to {} by ticket {}", ticket.hosts(), ticket.holder(), ticket.id());
        }
      }
      return carried.size() == group.size() && !carried.contains(false);
    } catch (EtcdRefusedException leaseGone) {
      notes.forget();
      return false;
    }
  }

  /** Says why tickets wait, where the queue does not tell and when it is news. */
  private boolean explain(List<Decision> group, Trip trip) {
    List<Decision.TicketWaits> told = new ArrayList<>();
    for (Decision decision : group) {
      if (decision instanceof Decision.TicketWaits waits
          && !trip.replica().inLine(waits.ticket())
          && news(waits.ticket().id(), waits.reason())) {
        told.add(waits);
      }
    }
    GrantTransactions transactions = trip.transactions();
    List<Boolean> carried =
        commitTogether(
            told.stream().map(waits -> transactions.waits(waits.ticket(), waits.reason())).toList(),
            trip);
    for (int i = 0; i < carried.size(); i++) {
      if (carried.get(i)) {
        explained.put(told.get(i).ticket().id(), told.get(i).reason());
      }
    }
    return carried.size() == told.size() && !carried.contains(false);
  }

  /**
   * Commits all of it in as few transactions as etcd takes.
   *
   * @return for each part whether it was carried out; shorter when nothing more may be sent
   */
  private List<Boolean> commitTogether(List<Transaction> transactions, Trip trip) {
    List<Boolean> carried = new ArrayList<>();
    GroupLane.Limits limits = etcd.config().groupLimits();
    int next = 0;
    while (next < transactions.size()) {
      String name = transactions.get(next).name();
      List<Request> group = new ArrayList<>();
      int weight = 0;
      int bytes = 0;
      for (; next < transactions.size(); next++) {
        Request part = Request.of(etcd.keys(), transactions.get(next));
        weight += part.weight() + 1;
        bytes += part.bytes();
        if (!group.isEmpty() && (weight > limits.weight() || bytes > limits.bytes())) {
          break;
        }
        group.add(part);
      }
      Request fence = Request.of(etcd.keys(), trip.fence().group(name, List.of()));
      Optional<TxnResponse> answer = send(name, fence.with(group));
      if (answer.isEmpty()) {
        return carried;
      }
      answer.get().getTxnResponses().forEach(part -> carried.add(part.isSucceeded()));
      if (carried.contains(false)) {
        log.info("of a group '{}' a part was refused: something changed since", name);
        return carried;
      }
    }
    return carried;
  }

  private boolean check(Decision.JudgeCheck judged, Trip trip) {
    List<Key.Lock> changed = judged.hold().stream().map(lock -> new Key.Lock(lock.host())).toList();
    if (!commit(trip.transactions().check(judged), trip, changed)) {
      return false;
    }
    CrashPoint.reach("after-check-decided");
    parts.candidates().checked(judged.check(), judged.verdict());
    parts
        .metrics()
        .checks
        .labelValues(
            judged.check().kind().name().toLowerCase(Locale.ROOT),
            judged.verdict().decision().name().toLowerCase(Locale.ROOT))
        .inc();
    return true;
  }

  /** Row, then etcd, then the workflow's start: the order of protocol P5. */
  private boolean grant(Decision.GrantCandidate grant, Trip trip) {
    Candidate candidate = grant.candidate();
    Optional<Proposal> proposed = parts.candidates().propose(candidate, grant.verdict());
    if (proposed.isEmpty()) {
      return false;
    }
    Proposal proposal = proposed.get();
    CrashPoint.reach("after-grant-proposed");
    Transaction transaction = trip.transactions().grant(candidate, grant.ticket(), proposal);
    if (!commit(transaction, trip)) {
      settle(proposal);
      return false;
    }
    CrashPoint.reach("after-grant-committed");
    recorded(proposal, revision);
    return true;
  }

  private void settle(Proposal proposal) {
    switch (holds.voidGrant(proposal.grantId(), "the grantor could not commit it")) {
      case Holds.Settled.Committed(long committed) -> recorded(proposal, committed);
      case Holds.Settled.Voided voided ->
          parts
              .candidates()
              .voided(proposal.grantId(), "something changed before it could be committed");
    }
  }

  private void recorded(Proposal proposal, long committed) {
    parts.candidates().committed(proposal.grantId(), committed);
    CrashPoint.reach("after-grant-recorded");
    parts.metrics().grants.inc();
    log.info("granted {} at revision {}", proposal.grantId(), committed);
  }

  private boolean commit(Transaction transaction, Trip trip) {
    return commit(transaction, trip, List.of());
  }

  /** Commits, and lets later decisions of the pass compare with what is there now. */
  private boolean commit(Transaction transaction, Trip trip, List<? extends Key<?>> changed) {
    Transaction fenced = trip.fence().guard(transaction);
    Optional<TxnResponse> answer = send(fenced.name(), Request.of(etcd.keys(), fenced));
    changed.forEach(key -> answer.ifPresent(now -> trip.replica().moved(key, revision)));
    return answer.isPresent();
  }

  /** The answer when it was committed; empty when it was not, or nobody knows yet. */
  private Optional<TxnResponse> send(String name, Request request) {
    try {
      TxnResponse answer = etcd.commit(name, request);
      if (!answer.isSucceeded()) {
        log.info("'{}' was refused: something changed since it was decided", name);
        return Optional.empty();
      }
      revision = answer.getHeader().getRevision();
      return Optional.of(answer);
    } catch (UnknownOutcomeException unknown) {
      log.warn("the outcome of '{}' is unknown and will be read back", name, unknown);
      unsettled = true;
      return Optional.empty();
    }
  }

  private Instant candidateDeadline() {
    return parts.clock().instant().plus(CANDIDATE_KEPT);
  }

  private boolean news(String id, String reason) {
    return !reason.equals(explained.get(id));
  }

  private void forgetAllBut(List<Decision> decisions) {
    Set<String> waiting =
        decisions.stream()
            .map(
                decision ->
                    switch (decision) {
                      case Decision.TicketWaits waits -> waits.ticket().id();
                      case Decision.CandidateWaits waits -> waits.candidate().ticketId();
                      default -> null;
                    })
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    explained.keySet().retainAll(waiting);
  }
}
