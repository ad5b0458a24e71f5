package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Candidates;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.Decision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.GrantTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Snapshot;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.proto.crash.CrashPoint;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out passes of the grantor: reads, lets the core decide, commits one transaction per
 * decision. Stops at the first decision that cannot be carried out, because those after it were
 * made in its knowledge. Confined to the grantor's thread.
 *
 * <p>An unknown outcome is never guessed. The generation is bumped, which fails the transaction if
 * it is still on its way, and the next pass reads what there is; a proposed grant is settled by
 * {@link Holds#voidGrant} besides.
 */
final class GrantorShell {
  private static final Logger log = LoggerFactory.getLogger(GrantorShell.class);
  private static final int CANDIDATES_MAX = 500;
  private static final Duration CANDIDATE_KEPT = Duration.ofMinutes(10);

  private final GrantorParts parts;
  private final EtcdConnection etcd;
  private final EtcdHolds holds;
  private final NoteLease notes;
  private final GrantorPass.Limits limits;
  private final Map<String, String> explained = new HashMap<>();
  private boolean unsettled;

  /** Of the pass that is carried out. */
  private Fence fence = new Fence(Optional.of(0L), 0);

  GrantorShell(GrantorParts parts) {
    this.parts = parts;
    etcd = parts.etcd();
    holds = new EtcdHolds(etcd);
    notes = new NoteLease(etcd);
    GrantorPass.Limits normal = GrantorPass.Limits.DEFAULT;
    limits =
        new GrantorPass.Limits(
            normal.ticketsPerRollout(),
            normal.grants(),
            etcd.config().hostsPerGrant(),
            normal.refreshBelow());
  }

  /** What a pass came to. */
  enum Result {
    /** Everything was carried out; the next pass can wait for a change. */
    DONE,
    /** Something came in between, or there is more: look again at once. */
    AGAIN,
    /** Somebody else is the grantor. */
    DEPOSED
  }

  Result pass(Leadership leadership) {
    if (unsettled) {
      new EtcdGeneration(etcd).bump();
      unsettled = false;
    }
    Snapshot snapshot = SnapshotReader.read(etcd);
    if (parts.fenced() && snapshot.leader() != leadership.fence()) {
      return Result.DEPOSED;
    }
    snapshot.uncounted().forEach(this::countLease);
    parts.metrics().lockWaiters.set(snapshot.table().tickets().size());
    Candidates candidates = parts.candidates();
    // Asked for before the fleet is read: a verdict is never older than its question.
    GrantorPass.Input input =
        new GrantorPass.Input(
            snapshot.table(),
            candidates.pending(CANDIDATES_MAX),
            candidates.checks(),
            parts.clock().instant());
    Admission.Round round = parts.admission().begin(snapshot.table());
    List<Decision> decisions = GrantorPass.decide(input, round, limits);
    forgetAllBut(decisions);
    fence =
        new Fence(
            parts.fenced() ? Optional.of(leadership.fence()) : Optional.empty(),
            snapshot.generation());
    GrantTransactions transactions = new GrantTransactions(snapshot);
    int grants = 0;
    for (Decision decision : decisions) {
      if (parts.fenced() && !leadership.valid()) {
        return Result.DEPOSED;
      }
      if (!carryOut(decision, transactions, snapshot)) {
        return Result.AGAIN;
      }
      grants += isGrant(decision) ? 1 : 0;
    }
    return grants >= limits.grants() ? Result.AGAIN : Result.DONE;
  }

  /**
   * The lease of a session lock begins here and not in the grant, where no put carries a lease: the
   * grant wakes the next pass, of whichever grantor.
   */
  private void countLease(Snapshot.Uncounted uncounted) {
    try {
      LeaseCount.begin(etcd, uncounted);
    } catch (EtcdRefusedException leaseGone) {
      log.info("a lock's lease ended before it was counted, and is taken anew by the next pass");
    }
  }

  private static boolean isGrant(Decision decision) {
    return decision instanceof Decision.GrantTicket || decision instanceof Decision.GrantCandidate;
  }

  private boolean carryOut(Decision decision, GrantTransactions transactions, Snapshot snapshot) {
    return switch (decision) {
      case Decision.NoteLapse(LockRecord lock) ->
          commit(transactions.noteLapse(lock, parts.marks().next()));
      case Decision.RemoveLapsed(LockRecord lock, String reason) ->
          commit(transactions.removeLapsed(lock, parts.marks().next(), reason));
      case Decision.JudgeCheck judged -> check(judged, transactions, snapshot);
      case Decision.TurnAway(Ticket ticket, String reason) ->
          turnAway(ticket, reason, transactions);
      case Decision.GrantTicket(Ticket ticket, Verdict verdict) -> {
        boolean granted = commit(transactions.grant(ticket, parts.clock().instant()));
        if (granted) {
          parts.metrics().grants.inc();
          log.info("granted {} to {} by ticket {}", ticket.hosts(), ticket.holder(), ticket.id());
        }
        yield granted;
      }
      case Decision.GrantCandidate grant -> grant(grant, transactions);
      case Decision.TicketWaits(Ticket ticket, String reason) ->
          explain(ticket.id(), reason, () -> commit(transactions.waits(ticket, reason)));
      case Decision.CandidateWaits(Candidate candidate, String reason) ->
          explain(
              candidate.ticketId(),
              reason,
              () -> {
                parts.candidates().waiting(candidate, reason);
                return true;
              });
      case Decision.Enqueue(List<Candidate> candidates) ->
          commit(transactions.enqueue(candidates, candidateDeadline()));
      case Decision.Refresh(Ticket ticket) ->
          commit(
              transactions.refresh(ticket, candidateDeadline()),
              snapshot,
              List.of(new Key.Ticket(ticket.id(), ticket.index())));
    };
  }

  private boolean turnAway(Ticket ticket, String reason, GrantTransactions transactions) {
    try {
      return commit(transactions.turnAway(ticket, reason, notes.id()));
    } catch (EtcdRefusedException leaseGone) {
      notes.forget();
      return false;
    }
  }

  private boolean check(
      Decision.JudgeCheck judged, GrantTransactions transactions, Snapshot snapshot) {
    List<Key.Lock> changed = judged.hold().stream().map(lock -> new Key.Lock(lock.host())).toList();
    if (!commit(transactions.check(judged), snapshot, changed)) {
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
  private boolean grant(Decision.GrantCandidate grant, GrantTransactions transactions) {
    Candidate candidate = grant.candidate();
    Optional<Proposal> proposed = parts.candidates().propose(candidate, grant.verdict());
    if (proposed.isEmpty()) {
      return false;
    }
    Proposal proposal = proposed.get();
    CrashPoint.reach("after-grant-proposed");
    Optional<TxnResponse> answer = send(transactions.grant(candidate, grant.ticket(), proposal));
    if (answer.isEmpty()) {
      settle(proposal);
      return false;
    }
    CrashPoint.reach("after-grant-committed");
    recorded(proposal, answer.get().getHeader().getRevision());
    return true;
  }

  private void settle(Proposal proposal) {
    switch (holds.voidGrant(proposal.grantId(), "the grantor could not commit it")) {
      case Holds.Settled.Committed(long revision) -> recorded(proposal, revision);
      case Holds.Settled.Voided voided ->
          parts
              .candidates()
              .voided(proposal.grantId(), "something changed before it could be committed");
    }
  }

  private void recorded(Proposal proposal, long revision) {
    parts.candidates().committed(proposal.grantId(), revision);
    CrashPoint.reach("after-grant-recorded");
    parts.metrics().grants.inc();
    log.info("granted {} at revision {}", proposal.grantId(), revision);
  }

  private boolean commit(Transaction transaction) {
    return send(transaction).isPresent();
  }

  /** Commits, and lets later decisions of the pass compare with what is there now. */
  private boolean commit(
      Transaction transaction, Snapshot snapshot, List<? extends Key<?>> changed) {
    Optional<TxnResponse> answer = send(transaction);
    answer.ifPresent(
        now -> changed.forEach(key -> snapshot.modified().put(key, now.getHeader().getRevision())));
    return answer.isPresent();
  }

  /** The answer when it was committed; empty when it was not, or nobody knows yet. */
  private Optional<TxnResponse> send(Transaction transaction) {
    try {
      TxnResponse answer = etcd.commit(fence.guard(transaction));
      if (!answer.isSucceeded()) {
        log.info("'{}' was refused: something changed since it was decided", transaction.name());
        return Optional.empty();
      }
      return Optional.of(answer);
    } catch (UnknownOutcomeException unknown) {
      log.warn("the outcome of '{}' is unknown and will be read back", transaction.name(), unknown);
      unsettled = true;
      return Optional.empty();
    }
  }

  private Instant candidateDeadline() {
    return parts.clock().instant().plus(CANDIDATE_KEPT);
  }

  /** Says why something waits, when that is news. */
  private boolean explain(String id, String reason, BooleanSupplier tell) {
    if (reason.equals(explained.get(id))) {
      return true;
    }
    boolean told = tell.getAsBoolean();
    if (told) {
      explained.put(id, reason);
    }
    return told;
  }

  private void forgetAllBut(List<Decision> decisions) {
    Set<String> waiting =
        decisions.stream()
            .map(
                decision ->
                    switch (decision) {
                      case Decision.TicketWaits waits -> waits.ticket().id();
                      case Decision.CandidateWaits waits -> waits.candidate().ticketId();
                      default -> "";
                    })
            .collect(Collectors.toSet());
    explained.keySet().retainAll(waiting);
  }
}
