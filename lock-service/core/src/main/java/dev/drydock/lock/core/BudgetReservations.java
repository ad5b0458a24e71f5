package dev.drydock.lock.core;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Who waits for a budget and nothing else, in order, as far as others may eat what they wait for.
 * Mutable and confined to one pass.
 *
 * <p>Property: a request goes before one of them if it fits, but would not if that one had its
 * hosts already. More of everything fits less, so one judgement over all of them mostly tells that
 * it goes before nobody.
 */
final class BudgetReservations {
  /** As many are looked after at a time; the others once they are among the first. */
  private static final int SHARES_MAX = 64;

  /**
   * What one of them waits for.
   *
   * @param kept whether it was passed for as long as it may be
   */
  record Share(Ticket ticket, List<LockRecord> locks, boolean kept) {}

  private final List<Share> shares = new ArrayList<>();

  void await(Ticket ticket, boolean kept, Instant now) {
    if (shares.size() < SHARES_MAX) {
      shares.add(new Share(ticket, Grants.foreign(ticket, now), kept));
    }
  }

  /** Those before whom a request would go that fits by itself. */
  List<Share> passedBy(Ticket request, Admission.Round round, Collection<LockRecord> held) {
    List<LockRecord> all = shares.stream().flatMap(share -> share.locks().stream()).toList();
    if (all.isEmpty() || fits(request, round, held, all)) {
      return List.of();
    }
    return shares.stream().filter(share -> !fits(request, round, held, share.locks())).toList();
  }

  private static boolean fits(
      Ticket request,
      Admission.Round round,
      Collection<LockRecord> held,
      Collection<LockRecord> more) {
    List<LockRecord> together = new ArrayList<>(held);
    together.addAll(more);
    return round.judge(request.hosts(), request.applications(), together).granted();
  }
}
