package dev.drydock.lock.core;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockRecord.Stage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The records a grant writes. */
public final class Grants {
  private Grants() {}

  /**
   * What a foreign ticket becomes, open from the start: nothing is checked again on its way.
   *
   * @param now the grantor's clock
   */
  public static List<LockRecord> foreign(Ticket ticket, Instant now) {
    Kind kind = ticket.mode() == Ticket.Mode.FLEETLOCK ? Kind.FLEETLOCK : Kind.SESSION;
    return ticket.hosts().stream()
        .map(
            host ->
                new LockRecord(
                        ticket.id(),
                        kind,
                        Stage.OPEN,
                        host,
                        ticket.hosts(),
                        ticket.applications(),
                        ticket.holder(),
                        ticket.reason(),
                        Optional.empty(),
                        0,
                        0,
                        0)
                    .onTermsOf(ticket, now))
        .toList();
  }

  /** A provisional batch hold of a proposal. */
  public static List<LockRecord> batch(Candidate candidate, Proposal proposal) {
    return candidate.hosts().stream()
        .map(
            host ->
                new LockRecord(
                    proposal.grantId(),
                    Kind.BATCH,
                    Stage.PROVISIONAL,
                    host,
                    candidate.hosts(),
                    List.of(),
                    candidate.holder(),
                    candidate.reason(),
                    Optional.of(candidate.rollout()),
                    proposal.epoch(),
                    proposal.beat(),
                    0))
        .toList();
  }

  /** The hold on a host that has to have one; nothing is checked again on its way. */
  public static LockRecord impound(Candidates.Impound impound) {
    return new LockRecord(
        impound.lockId(),
        impound.kind(),
        Stage.OPEN,
        impound.host(),
        impound.hosts(),
        List.of(),
        impound.holder(),
        impound.reason(),
        impound.rollout(),
        impound.epoch(),
        impound.beat(),
        0);
  }

  /** The same while the pass is still deciding and nothing is proposed. */
  static List<LockRecord> batch(Candidate candidate) {
    return batch(candidate, new Proposal(candidate.ticketId(), 0, 0));
  }

  /** The ticket under which a candidate keeps its place. */
  public static Ticket placeOf(Candidate candidate, int index, Instant pollDeadline) {
    return new Ticket(
            candidate.ticketId(),
            Ticket.Mode.CANDIDATE,
            candidate.hosts(),
            List.of(),
            candidate.holder(),
            candidate.reason(),
            pollDeadline,
            0,
            0)
        .ofRollout(candidate.rollout(), index)
        .aged(candidate.seniority());
  }

  static Ticket placeOf(Candidate candidate, int index) {
    return placeOf(candidate, index, Instant.MAX);
  }
}
