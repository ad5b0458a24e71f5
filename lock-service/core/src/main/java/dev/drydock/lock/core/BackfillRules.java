package dev.drydock.lock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who may go before whom, and for how long (protocol P3). Mutable and confined to one pass.
 *
 * <p>Properties: whoever goes before a waiting ticket has an end that is enforced, and is gone
 * before the ticket could begin; no ticket is passed for longer than {@link Backfill#passedMax}
 * from the first time on, the time it was blocked aside.
 */
final class BackfillRules {
  private final Map<String, BackfillClock> clocks;
  private final Instant now;
  private final Backfill bounds;
  private final List<GrantorDecision> decisions;

  /** Clocks that are set become {@code decisions}. */
  BackfillRules(LockTable table, Instant now, Backfill bounds, List<GrantorDecision> decisions) {
    clocks = new HashMap<>(table.passed());
    this.now = now;
    this.bounds = bounds;
    this.decisions = decisions;
  }

  /**
   * When it is gone for certain if granted now, also when its client does not hear that its time is
   * over; empty for whoever may not go before anybody.
   */
  Optional<Instant> gone(Ticket ticket) {
    return ticket.mode() == Ticket.Mode.WAIT && ticket.maxSeconds() > 0
        ? Optional.of(
            now.plusSeconds(ticket.maxSeconds())
                .plusSeconds(ticket.leaseSeconds())
                .plus(bounds.margin()))
        : Optional.empty();
  }

  /**
   * The reservation of a ticket that waits for others to end.
   *
   * @param from the latest enforced end of what it lacks
   */
  Reservation waits(Ticket ticket, Optional<Instant> from) {
    BackfillClock clock = clocks.get(ticket.id());
    if (clock != null && !clock.goes(now)) {
      set(ticket, clock.going(now));
    }
    Instant spent = now.plus(left(ticket));
    return new Reservation(from, from.filter(spent::isAfter).orElse(spent));
  }

  /** Whether it was passed for as long as it may be. */
  boolean usedUp(Ticket ticket) {
    return left(ticket).compareTo(Duration.ZERO) <= 0;
  }

  private Duration left(Ticket ticket) {
    BackfillClock clock = clocks.get(ticket.id());
    return clock == null ? bounds.passedMax() : bounds.passedMax().minus(clock.at(now));
  }

  /** A ticket waits for what no holder ends: its clock stands still. */
  void blocked(Ticket ticket) {
    BackfillClock clock = clocks.get(ticket.id());
    if (clock != null && clock.since().isPresent()) {
      set(ticket, clock.standing(now));
    }
  }

  /** Somebody goes before a waiting ticket. */
  void passed(Ticket ticket) {
    if (!clocks.containsKey(ticket.id())) {
      set(ticket, BackfillClock.starting(now));
    }
  }

  private void set(Ticket ticket, BackfillClock clock) {
    clocks.put(ticket.id(), clock);
    decisions.add(new GrantorDecision.SetClock(ticket, clock));
  }

  /** What a waiting ticket is told besides who is in its way; begins with a separator. */
  static String told(LockTable table, Ticket ticket, Optional<Instant> from, Backfill bounds) {
    if (from.equals(Optional.of(Blocker.SOON))) {
      return "";
    }
    String reserved = from.map(when -> "; reserved for it from " + when + " on").orElse("");
    BackfillClock clock = table.passed().get(ticket.id());
    if (clock == null) {
      return reserved;
    }
    Duration left = bounds.passedMax().minus(clock.spent());
    if (left.isNegative() || left.isZero()) {
      return reserved + "; nobody goes before it any more";
    }
    return reserved
        + clock
            .since()
            .map(begin -> "; others may go before it until " + begin.plus(left))
            .orElse("; others may go before it for " + left.toSeconds() + " s more");
  }
}
