package dev.drydock.lock.core;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import java.util.List;
import java.util.Optional;

/**
 * One thing the grantor does, in the order decided: every decision was made in the knowledge of
 * those before it, so when one cannot be carried out, none after it may be.
 */
public sealed interface GrantorDecision {

  /**
   * Nobody can believe in an expired session lock any more: it excludes nobody, and only
   * observations after a fresh mark count for its host. Or a hold outlived its maximum.
   */
  record NoteLapse(LockRecord lock) implements GrantorDecision {}

  /**
   * A lapsed lock goes, because its host was seen healthy since or because somebody else gets the
   * host now.
   */
  record RemoveLapsed(LockRecord lock, String reason) implements GrantorDecision {}

  /**
   * The verdict of a check.
   *
   * @param hold the records that reach the check's stage; empty unless the verdict is a grant
   */
  record JudgeCheck(Check check, Verdict verdict, List<LockRecord> hold)
      implements GrantorDecision {
    public JudgeCheck {
      hold = List.copyOf(hold);
    }
  }

  /** A ticket leaves the queue without a lock: a refused try, a dead client, a deadline passed. */
  record TurnAway(Ticket ticket, String reason) implements GrantorDecision {}

  /** A foreign ticket becomes a session lock on all its hosts. */
  record GrantTicket(Ticket ticket, Verdict verdict) implements GrantorDecision {}

  /**
   * A foreign ticket goes on waiting.
   *
   * @param behind whether somebody has or came first for a host of it; else it may be ready at any
   *     time
   */
  record TicketWaits(Ticket ticket, String reason, boolean behind) implements GrantorDecision {}

  /**
   * Somebody goes before a waiting ticket for the first time, or its clock stands still or goes on:
   * written before whatever relies on it.
   */
  record SetClock(Ticket ticket, BackfillClock clock) implements GrantorDecision {}

  /**
   * A candidate becomes a provisional hold on all its hosts.
   *
   * @param candidate with the age of its ticket, if it has one
   * @param ticket its place in the queue, given up with the grant
   */
  record GrantCandidate(Candidate candidate, Optional<Ticket> ticket, Verdict verdict)
      implements GrantorDecision {}

  /** A candidate goes on waiting. */
  record CandidateWaits(Candidate candidate, String reason) implements GrantorDecision {}

  /** Candidates whose turn came in vain take a place in the queue, in this order. */
  record Enqueue(List<Candidate> candidates) implements GrantorDecision {
    public Enqueue {
      candidates = List.copyOf(candidates);
    }
  }

  /** A candidate's ticket is still wanted: its deadline moves. */
  record Refresh(Ticket ticket) implements GrantorDecision {}
}
