package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.StoreSnapshot;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs passes of the grantor: waits until the copy of etcd is recent enough, lets the core decide
 * and has it carried out. Confined to the grantor's thread.
 *
 * <p>A pass looks at what changed. It looks at everything when asked to, and as long as a rollout
 * is under way: its side is not told of by etcd.
 */
final class GrantorRunner {
  /** Batches of rollouts judged in a pass besides those with an age or a place in the queue. */
  private static final int CANDIDATES_MAX = 500;

  /** Tickets granted on one view of the fleet; they go into few transactions. */
  private static final int GRANTS_MAX = 1000;

  private final GrantorDependencies parts;
  private final EtcdConnection etcd;
  private final GrantorView view;
  private final DecisionExecutor decisionExecutor;
  private final EpochHeartbeat epochHeartbeat;
  private final ImpoundExecutor impoundExecutor;
  private final LeaseStarter leases;
  private final GrantorPass.Limits limits;
  private final GrantorPass.Limits limitsOfRollouts;
  private final ProposalGaps proposalGaps = new ProposalGaps(DecisionExecutor.CANDIDATE_KEPT);
  private boolean rolloutsRun = true;
  private long elected;

  GrantorRunner(GrantorDependencies parts, GrantorView view) {
    this.parts = parts;
    this.view = view;
    etcd = parts.etcd();
    limitsOfRollouts = limits(GrantorPass.Limits.DEFAULT.grants());
    limits = limits(GRANTS_MAX);
    decisionExecutor = new DecisionExecutor(parts);
    epochHeartbeat = new EpochHeartbeat(parts, decisionExecutor.commits());
    impoundExecutor = new ImpoundExecutor(parts, decisionExecutor.commits());
    leases = new LeaseStarter(etcd);
  }

  private GrantorPass.Limits limits(int grants) {
    GrantorPass.Limits normal = GrantorPass.Limits.DEFAULT;
    return new GrantorPass.Limits(
        normal.ticketsPerRollout(),
        grants,
        etcd.config().hostsPerGrant(),
        normal.refreshBelow(),
        etcd.config().backfill());
  }

  /** What a pass came to. */
  enum Result {
    /** Everything was carried out; the next pass can wait for a change. */
    DONE,
    /** There is more: look again at once. */
    MORE,
    /** Something came in between: look again, but not over and over. */
    REPEAT,
    /** Somebody else is the grantor. */
    DEPOSED
  }

  /** Looks at everything next, and at nothing older than {@code fence}. */
  void elected(Leadership leadership) {
    elected = leadership.fence();
    epochHeartbeat.elected();
    proposalGaps.forget();
    view.scope().all();
  }

  /** Whether the last pass found rollouts under way. */
  boolean rolloutsRun() {
    return rolloutsRun;
  }

  /**
   * One pass.
   *
   * @param everything also at what etcd does not tell of: rollouts, and time that went by
   */
  Result pass(Leadership leadership, boolean everything) {
    decisionExecutor.commits().settle();
    if (!epochHeartbeat.agreed()) {
      return recover(leadership);
    }
    if (everything || rolloutsRun || parts.delays().due() || impoundExecutor.open()) {
      view.scope().all();
    }
    boolean whole = recent();
    Replica replica = view.replica();
    StoreSnapshot now = replica.snapshot(List.of());
    if (parts.fenced() && now.leader() != leadership.fence()) {
      return Result.DEPOSED;
    }
    leases.count(now.uncounted());
    Optional<Long> leader = parts.fenced() ? Optional.of(leadership.fence()) : Optional.empty();
    Fence fence = new Fence(leader, now.generation());
    if (!epochHeartbeat.beat(fence)) {
      return Result.REPEAT;
    }
    if (whole) {
      if (impoundExecutor.carryOut(replica, fence)) {
        return Result.REPEAT;
      }
      parts.delays().look(replica.lapsing());
    }
    parts.metrics().lockWaiters.set(replica.waiters().all().size());
    Pass pass = new Pass(replica, whole);
    List<GrantorDecision> decisions = view.scope().decide(replica, pass::decide);
    Result result =
        decisionExecutor.carryOut(
            decisions, new DecisionExecutor.CommitContext(replica, fence, leadership, whole));
    if (result != Result.DONE) {
      return result;
    }
    boolean more = grants(decisions) >= pass.limits().grants();
    if (!more) {
      view.scope().done();
    }
    return more ? Result.MORE : Result.DONE;
  }

  /** Stores that are not of one time grant nothing; hosts that have to be locked are. */
  private Result recover(Leadership leadership) {
    if (elected > epochHeartbeat.revision()) {
      return Result.DEPOSED; // In another etcd.
    }
    view.scope().all();
    recent();
    Replica replica = view.replica();
    StoreSnapshot now = replica.snapshot(List.of());
    if (parts.fenced() && now.leader() != leadership.fence()) {
      return Result.DEPOSED;
    }
    Fence fence = new Fence(Optional.of(leadership.fence()), now.generation());
    return impoundExecutor.carryOut(replica, fence) ? Result.REPEAT : Result.DONE;
  }

  /** Takes in what is new, and says whether everything is to be looked at. */
  private boolean recent() {
    boolean whole;
    view.forward(parts.mirror());
    do {
      whole = view.scope().everything(view.replica());
      // Rollouts enter when their side says so: nobody who is in the queue by then may be missed.
      long now = whole ? etcd.repeat(etcd::revision) : 0;
      long least = Math.max(now, Math.max(elected, decisionExecutor.commits().revision()));
      parts.mirror().await(least, etcd.config().budget());
      view.forward(parts.mirror());
    } while (!whole && view.scope().everything(view.replica()));
    return whole;
  }

  private static long grants(List<GrantorDecision> decisions) {
    return decisions.stream()
        .filter(
            decision ->
                decision instanceof GrantorDecision.GrantTicket
                    || decision instanceof GrantorDecision.GrantCandidate)
        .count();
  }

  /** One look at the fleet, for as many tickets as it takes. */
  private final class Pass {
    private final Replica replica;
    private final boolean whole;
    private List<Candidate> candidates = List.of();
    private List<Check> checks = List.of();
    private Set<String> abandoned = Set.of();
    private Admission.@Nullable Round round;

    Pass(Replica replica, boolean whole) {
      this.replica = replica;
      this.whole = whole;
    }

    List<GrantorDecision> decide(Collection<Ticket> tickets) {
      StoreSnapshot storeSnapshot = replica.snapshot(tickets);
      Admission.Round fleet = round;
      if (fleet == null) {
        if (whole) {
          // Asked for before the fleet is read: a verdict is never older than its question.
          List<Ticket> places = places(tickets);
          List<String> queued = places.stream().map(Ticket::id).toList();
          candidates = decisionExecutor.fitting(parts.candidates().pending(queued, CANDIDATES_MAX));
          abandoned = abandoned(places);
          checks = parts.candidates().checks();
          rolloutsRun = !parts.candidates().idle();
        }
        fleet = parts.admission().begin(storeSnapshot.table());
        round = fleet;
      }
      Optional<List<Candidate>> proposed = whole ? Optional.of(candidates) : Optional.empty();
      return GrantorPass.decide(
          new GrantorPass.Input(
              storeSnapshot.table(),
              candidates,
              checks,
              parts.clock().instant(),
              new GrantorPass.Witnessed(
                  proposalGaps.staying(tickets, proposed, System.nanoTime()), lapsing()),
              abandoned),
          fleet,
          limits());
    }

    /** What rollouts have in the queue. */
    private static List<Ticket> places(Collection<Ticket> tickets) {
      return tickets.stream().filter(ticket -> ticket.mode() == Ticket.Mode.CANDIDATE).toList();
    }

    /** Only those that are not offered can be: mostly nobody has to be asked. */
    private Set<String> abandoned(List<Ticket> places) {
      Set<String> offered =
          candidates.stream().map(Candidate::ticketId).collect(Collectors.toUnmodifiableSet());
      List<Ticket> missed = places.stream().filter(one -> !offered.contains(one.id())).toList();
      return missed.isEmpty() ? Set.of() : parts.candidates().abandoned(missed);
    }

    /** To find them takes a look at every lock: only when there is something to find. */
    private Set<String> lapsing() {
      return parts.delays().due() ? parts.delays().over(replica.lapsing()) : Set.of();
    }

    /** A rollout's batches are granted one by one, and the view of the fleet ages meanwhile. */
    GrantorPass.Limits limits() {
      return candidates.isEmpty() ? limits : limitsOfRollouts;
    }
  }
}
