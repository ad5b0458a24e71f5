package dev.drydock.lock.etcd;

import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.CommitGroups;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.GrantTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.etcd.FencedCommits.Part;
import dev.drydock.lock.etcd.GrantorRunner.Result;
import dev.drydock.proto.crash.CrashPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the decisions of a pass, in groups. Stops at the first that cannot be carried out,
 * because those after it were made in its knowledge. Confined to the grantor's thread.
 *
 * <p>A proposed grant whose outcome is unknown is settled by {@link Holds#voidGrant}. What etcd
 * never takes is turned away or left out with the reason, so that nobody waits behind it.
 */
final class DecisionExecutor {
  private static final Logger log = LoggerFactory.getLogger(DecisionExecutor.class);

  /** How long a candidate keeps its place while nobody proposes it. */
  static final Duration CANDIDATE_KEPT = Duration.ofMinutes(10);

  private final GrantorDependencies parts;
  private final EtcdConnection etcd;
  private final EtcdHolds holds;
  private final NoteLease notes;
  private final FencedCommits commits;
  private final LastNotes lastNotes = new LastNotes();
  private final Map<String, Unfit> unfit = new HashMap<>();

  DecisionExecutor(GrantorDependencies parts) {
    this.parts = parts;
    etcd = parts.etcd();
    holds = new EtcdHolds(etcd, parts.mirror());
    notes = new NoteLease(etcd);
    commits = new FencedCommits(etcd);
  }

  /** A batch whose grant etcd does not take, and why. */
  private record Unfit(List<String> hosts, String reason) {}

  /** What the decisions were made on. */
  record CommitContext(Replica replica, Fence fence, Leadership leadership, boolean whole) {

    GrantTransactions transactions() {
      return new GrantTransactions(replica.snapshot(List.of()));
    }
  }

  /** What the passes commit with. */
  FencedCommits commits() {
    return commits;
  }

  /** Those whose grant etcd may take; the others are told why they wait. */
  List<Candidate> fitting(List<Candidate> candidates) {
    if (unfit.isEmpty()) {
      return candidates;
    }
    Map<String, List<String>> wanted = new HashMap<>();
    candidates.forEach(candidate -> wanted.put(candidate.ticketId(), candidate.hosts()));
    unfit.entrySet().removeIf(one -> !one.getValue().hosts().equals(wanted.get(one.getKey())));
    List<Candidate> fitting = new ArrayList<>();
    Map<Candidate, String> leftOut = new LinkedHashMap<>();
    for (Candidate candidate : candidates) {
      Unfit left = unfit.get(candidate.ticketId());
      if (left == null) {
        fitting.add(candidate);
      } else {
        leftOut.put(candidate, left.reason());
      }
    }
    tell(leftOut);
    return fitting;
  }

  Result carryOut(List<GrantorDecision> decisions, CommitContext commitContext) {
    if (commitContext.whole()) {
      lastNotes.forgetAllBut(decisions);
    }
    for (List<GrantorDecision> group : CommitGroups.of(decisions)) {
      if (parts.fenced() && !commitContext.leadership().valid()) {
        return Result.DEPOSED;
      }
      if (!carryOutGroup(group, commitContext)) {
        return Result.REPEAT;
      }
    }
    return Result.DONE;
  }

  private boolean carryOutGroup(List<GrantorDecision> group, CommitContext commitContext) {
    return switch (group.getFirst()) {
      case GrantorDecision.GrantTicket grant -> tickets(group, commitContext);
      case GrantorDecision.TurnAway away -> tickets(group, commitContext);
      case GrantorDecision.SetClock clock -> clocks(group, commitContext);
      case GrantorDecision.TicketWaits waits -> explain(group, commitContext);
      case GrantorDecision.GrantCandidate grant -> grant(grant, commitContext);
      case GrantorDecision.JudgeCheck judged -> check(judged, commitContext);
      case GrantorDecision.NoteLapse(LockRecord lock) ->
          commit(commitContext.transactions().noteLapse(lock, parts.marks().next()), commitContext);
      case GrantorDecision.RemoveLapsed removal -> removeLapsed(group, commitContext);
      case GrantorDecision.CandidateWaits waits -> {
        tell(reasons(group));
        yield true;
      }
      case GrantorDecision.Enqueue(List<Candidate> candidates) ->
          enqueue(candidates, commitContext);
      case GrantorDecision.Refresh(Ticket ticket) ->
          commit(
              commitContext.transactions().refresh(ticket, candidateDeadline()),
              commitContext,
              List.of(new Key.Ticket(ticket.id(), ticket.index())));
    };
  }

  private boolean removeLapsed(List<GrantorDecision> group, CommitContext commitContext) {
    List<GrantorDecision.RemoveLapsed> removals =
        group.stream().map(GrantorDecision.RemoveLapsed.class::cast).toList();
    try {
      return commit(commitContext.transactions().removeLapsed(removals, notes.id()), commitContext);
    } catch (EtcdRefusedException leaseGone) {
      notes.forget();
      return false;
    }
  }

  private static Map<Candidate, String> reasons(List<GrantorDecision> group) {
    Map<Candidate, String> reasons = new LinkedHashMap<>();
    for (GrantorDecision decision : group) {
      if (decision instanceof GrantorDecision.CandidateWaits(Candidate candidate, String reason)) {
        reasons.put(candidate, reason);
      }
    }
    return reasons;
  }

  private void tell(Map<Candidate, String> reasons) {
    Map<Candidate, String> news = new LinkedHashMap<>(reasons);
    long now = System.nanoTime();
    news.entrySet().removeIf(one -> !lastNotes.isDue(one.getKey().ticketId(), one.getValue(), now));
    if (!news.isEmpty()) {
      parts.candidates().waiting(news);
      news.forEach((candidate, reason) -> lastNotes.tell(candidate.ticketId(), reason, now));
    }
  }

  /** In order: whoever gets into a later transaction is younger. */
  private boolean enqueue(List<Candidate> candidates, CommitContext commitContext) {
    List<Part> ends =
        commits.together(
            commitContext.transactions().enqueue(candidates, candidateDeadline()),
            commitContext.fence());
    boolean all = ends.size() == candidates.size();
    for (int i = 0; i < ends.size(); i++) {
      all &= !(ends.get(i) instanceof Part.Lost);
      if (ends.get(i) instanceof Part.Refused(String reason)) {
        leaveOut(candidates.get(i), "etcd refuses its place in the queue: " + reason);
      }
    }
    return all;
  }

  /** Grants and refusals of tickets. */
  private boolean tickets(List<GrantorDecision> group, CommitContext commitContext) {
    GrantTransactions transactions = commitContext.transactions();
    Instant now = parts.clock().instant();
    List<Transaction> sent = new ArrayList<>();
    for (GrantorDecision decision : group) {
      if (decision instanceof GrantorDecision.GrantTicket grant) {
        sent.add(transactions.grant(grant.ticket(), now));
      } else if (decision instanceof GrantorDecision.TurnAway(Ticket ticket, String reason)) {
        sent.add(transactions.turnAway(ticket, reason, notes.id()));
      }
    }
    List<Part> ends = commits.together(sent, commitContext.fence());
    boolean all = ends.size() == group.size();
    for (int i = 0; i < ends.size(); i++) {
      all &= ends.get(i) instanceof Part.Done;
      switch (ends.get(i)) {
        case Part.Done done -> granted(group.get(i));
        case Part.Lost lost -> {}
        case Part.Refused(String reason) -> refused(group.get(i), reason, commitContext);
      }
    }
    return all;
  }

  private void granted(GrantorDecision decision) {
    if (decision instanceof GrantorDecision.GrantTicket(Ticket ticket, var why)) {
      parts.metrics().grants.inc();
      log.debug("granted {} to {} by ticket {}", ticket.hosts(), ticket.holder(), ticket.id());
    }
  }

  /** Whoever etcd grants nothing leaves, so that nobody waits behind it. */
  private void refused(GrantorDecision decision, String reason, CommitContext commitContext) {
    if (decision instanceof GrantorDecision.GrantTicket(Ticket ticket, var why)) {
      log.warn("ticket {} is turned away, etcd refuses its grant: {}", ticket.id(), reason);
      String note = "etcd refuses its grant: " + reason;
      try {
        commit(commitContext.transactions().turnAway(ticket, note, notes.id()), commitContext);
        return;
      } catch (EtcdRefusedException leaseGone) {
        log.info("a note was refused and is written anew: {}", leaseGone.getMessage());
      }
    }
    notes.forget(); // The only thing that a note can be refused for is its lease.
  }

  private boolean clocks(List<GrantorDecision> group, CommitContext commitContext) {
    GrantTransactions transactions = commitContext.transactions();
    List<Transaction> clocks = new ArrayList<>();
    for (GrantorDecision decision : group) {
      if (decision instanceof GrantorDecision.SetClock(Ticket ticket, BackfillClock clock)) {
        clocks.add(transactions.setClock(ticket, clock));
      }
    }
    List<Part> ends = commits.together(clocks, commitContext.fence());
    return ends.size() == clocks.size() && ends.stream().allMatch(Part.Done.class::isInstance);
  }

  /** Says why tickets wait, where the queue does not tell and when it is news. */
  private boolean explain(List<GrantorDecision> group, CommitContext commitContext) {
    List<GrantorDecision.TicketWaits> news = new ArrayList<>();
    for (GrantorDecision decision : group) {
      if (decision instanceof GrantorDecision.TicketWaits waits
          && !commitContext.replica().inLine(waits.ticket())
          && lastNotes.isNews(waits.ticket().id(), waits.reason())) {
        news.add(waits);
      }
    }
    GrantTransactions transactions = commitContext.transactions();
    List<Part> ends =
        commits.together(
            news.stream().map(waits -> transactions.waits(waits.ticket(), waits.reason())).toList(),
            commitContext.fence());
    boolean lost = false;
    for (int i = 0; i < ends.size(); i++) {
      if (ends.get(i) instanceof Part.Lost) {
        lost = true;
      } else {
        // What etcd refuses to keep is not said again and again.
        lastNotes.tell(news.get(i).ticket().id(), news.get(i).reason(), System.nanoTime());
      }
    }
    // A ticket left meanwhile, and nothing relies on what it was told. If others were to be told
    // after it, the next look at everything does so.
    return lost || ends.size() == news.size();
  }

  private boolean check(GrantorDecision.JudgeCheck judged, CommitContext commitContext) {
    List<Key.Lock> changed = judged.hold().stream().map(lock -> new Key.Lock(lock.host())).toList();
    if (!commit(commitContext.transactions().check(judged), commitContext, changed)) {
      return false;
    }
    CrashPoint.reach("after-check-decided");
    parts.candidates().checked(judged.check(), judged.verdict());
    parts
        .metrics()
        .checks
        .labelValues(
            judged.check().kind().name().toLowerCase(Locale.ROOT),
            judged.verdict().decision().word())
        .inc();
    return true;
  }

  /** Row, then etcd, then the workflow's start: the order of protocol P5. */
  private boolean grant(GrantorDecision.GrantCandidate grant, CommitContext commitContext) {
    Candidate candidate = grant.candidate();
    Optional<String> tooLarge = tooLarge(grant, commitContext);
    if (tooLarge.isPresent()) {
      leaveOut(candidate, tooLarge.get());
      return false;
    }
    Optional<Proposal> proposed = parts.candidates().propose(candidate, grant.verdict());
    if (proposed.isEmpty()) {
      return false;
    }
    Proposal proposal = proposed.get();
    CrashPoint.reach("after-grant-proposed");
    Transaction transaction =
        commitContext.transactions().grant(candidate, grant.ticket(), proposal);
    try {
      if (!commit(transaction, commitContext)) {
        settle(candidate, proposal);
        return false;
      }
    } catch (EtcdRefusedException refused) {
      settle(candidate, proposal);
      leaveOut(candidate, "etcd refuses its grant: " + refused.reason());
      return false;
    }
    commits.beaten();
    CrashPoint.reach("after-grant-committed");
    recorded(proposal, commits.revision());
    return true;
  }

  private Optional<String> tooLarge(
      GrantorDecision.GrantCandidate grant, CommitContext commitContext) {
    Proposal longest = new Proposal("g" + Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
    return EtcdTransactionRequest.of(
            etcd.keys(),
            commitContext
                .fence()
                .guard(
                    commitContext.transactions().grant(grant.candidate(), grant.ticket(), longest)))
        .tooLarge(etcd.config());
  }

  private void leaveOut(Candidate candidate, String reason) {
    log.warn("batch {} cannot be granted: {}", candidate.ticketId(), reason);
    unfit.put(candidate.ticketId(), new Unfit(candidate.hosts(), reason));
  }

  private void settle(Candidate candidate, Proposal proposal) {
    Holds.Proposed proposed =
        new Holds.Proposed(proposal.grantId(), candidate.hosts(), proposal.beat());
    switch (holds.voidGrant(proposed, "the grantor could not commit it")) {
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

  private boolean commit(Transaction transaction, CommitContext commitContext) {
    return commit(transaction, commitContext, List.of());
  }

  /** Commits, and lets later decisions of the pass compare with what is there now. */
  private boolean commit(
      Transaction transaction, CommitContext commitContext, List<? extends Key<?>> changed) {
    boolean committed = commits.alone(transaction, commitContext.fence());
    if (committed) {
      changed.forEach(key -> commitContext.replica().moved(key, commits.revision()));
    }
    return committed;
  }

  private Instant candidateDeadline() {
    return parts.clock().instant().plus(CANDIDATE_KEPT);
  }
}
