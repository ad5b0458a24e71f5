package dev.drydock.lock.core;

import dev.drydock.lock.core.BudgetReservations.Share;
import dev.drydock.lock.core.GrantorPass.Input;
import dev.drydock.lock.core.GrantorPass.Limits;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the turn of each request comes to, given those before it. Mutable and confined to one pass.
 *
 * <ol>
 *   <li>By hosts: somebody has them, or came first and does not let it pass.
 *   <li>By budgets: the admission says Wait, or the budget is kept for somebody who came first.
 * </ol>
 */
final class EligibilityEvaluator {
  private final Input input;
  private final Admission.Round round;
  private final Limits limits;
  private final HostQueue hostQueue;
  private final BackfillRules backfillRules;
  private final BudgetReservations budgetReservations = new BudgetReservations();

  /** Clocks that are set become {@code decisions}. */
  EligibilityEvaluator(
      Input input,
      Admission.Round round,
      Limits limits,
      HostQueue hostQueue,
      List<GrantorDecision> decisions) {
    this.input = input;
    this.round = round;
    this.limits = limits;
    this.hostQueue = hostQueue;
    backfillRules = new BackfillRules(input.table(), input.now(), limits.backfill(), decisions);
  }

  /** Its turn; what it does to others is not done yet. */
  Eligibility of(Ticket request) {
    Optional<Brake> brake = input.table().brake();
    if (brake.isPresent()) {
      return new Eligibility.Blocked(brake.get().text(), true);
    }
    List<Blocker> blockers = hostQueue.blockers(request.hosts(), backfillRules.gone(request));
    if (Blocker.quarantined(blockers)) {
      return new Eligibility.Blocked(Blocker.sentence(blockers), true);
    }
    if (!blockers.isEmpty()) {
      Reservation waits = backfillRules.waits(request, Blocker.latest(blockers));
      return new Eligibility.Later(
          HostQueue.explanation(input.table(), request, blockers, limits.backfill()),
          // What a dead client keeps is free too soon for anybody to go before.
          Blocker.expired(blockers) ? Reservation.strict(waits.from()) : waits,
          true);
    }
    Eligibility eligibility = judged(request);
    if (eligibility instanceof Eligibility.Now && !request.canBeGranted(input.now())) {
      // Hosts and share stay reserved: whoever asks only now and then would never get its turn.
      Reservation soon = Reservation.strict(Optional.of(Blocker.SOON));
      return new Eligibility.Later(notAsking(request), soon, false);
    }
    return eligibility;
  }

  private static String notAsking(Ticket request) {
    return "it is next, and granted when its client asks again"
        + request
            .askingUntil()
            .map(
                until ->
                    "; its last poll was to end by %s, more than %d s ago by the grantor's clock:"
                            .formatted(until, Ticket.CLOCKS_APART_MAX.toSeconds())
                        + " if it did ask since, set the clocks of the servers right")
            .orElse("");
  }

  private Eligibility judged(Ticket request) {
    Collection<LockRecord> held = hostQueue.held();
    Verdict verdict = round.judge(request.hosts(), request.applications(), held);
    return switch (verdict.decision()) {
      case GRANT -> fits(request, verdict, held);
      case WAIT -> {
        if (request.advisory()) {
          yield new Eligibility.Now(verdict, List.copyOf(hostQueue.awaiting(request.hosts())));
        }
        yield inVain(request)
            ? new Eligibility.Blocked(verdict.reason(), false)
            : forBudget(request, verdict.reason());
      }
      case REFUSE -> new Eligibility.Never(verdict.reason());
    };
  }

  /** Whether it waits for what no holder brings back. */
  private boolean inVain(Ticket request) {
    return !onceOthersEnd(request).granted();
  }

  private Verdict onceOthersEnd(Ticket request) {
    Map<Boolean, List<LockRecord>> locks = hostQueue.byStaying();
    return round.judgeOnceOthersEnd(
        request.hosts(),
        request.applications(),
        locks.getOrDefault(false, List.of()),
        locks.getOrDefault(true, List.of()));
  }

  /** Nobody may eat for ever what somebody before it waits for. */
  private Eligibility fits(Ticket request, Verdict verdict, Collection<LockRecord> held) {
    List<Share> before = budgetReservations.passedBy(request, round, held);
    if (!before.isEmpty() && onceOthersEnd(request).takesNothing()) {
      // Whoever repairs what is down anyway. What was down for work only is about to come back, and
      // taken again and again it never would.
      before = List.of();
    }
    boolean tries = request.mode() == Ticket.Mode.TRY;
    Optional<Share> stops = before.stream().filter(share -> tries || share.kept()).findFirst();
    if (stops.isPresent() && !request.advisory()) {
      Ticket first = stops.get().ticket();
      return forBudget(
          request,
          "what it would take down is kept for %s, who came first (ticket %s: %s)"
              .formatted(first.holder(), first.id(), first.reason()));
    }
    Set<Ticket> passed = new LinkedHashSet<>(hostQueue.awaiting(request.hosts()));
    before.forEach(share -> passed.add(share.ticket()));
    return new Eligibility.Now(verdict, List.copyOf(passed));
  }

  private Eligibility forBudget(Ticket request, String reason) {
    Reservation reservation = backfillRules.waits(request, Optional.empty());
    String told = BackfillRules.told(input.table(), request, Optional.empty(), limits.backfill());
    return new Eligibility.Later(reason + told, reservation, false);
  }

  /** It waits: those after it find its hosts reserved, and its budget once it was passed enough. */
  void reserve(Ticket request, Eligibility.Later later) {
    hostQueue.await(request, later.reservation());
    if (!later.behind()) {
      budgetReservations.await(request, backfillRules.usedUp(request), input.now());
    }
  }

  /** It reserves nothing, and its clock stands still. */
  void blocked(Ticket request) {
    backfillRules.blocked(request);
  }

  /** It has its hosts: the clocks of those passed start. */
  void granted(Eligibility.Now now) {
    new ArrayList<>(now.passed()).forEach(backfillRules::passed);
  }
}
