package dev.drydock.lock.core;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One pass of the grantor over everything that waits, as a function of what it read.
 *
 * <ol>
 *   <li>Session locks that expired exclude until nobody can believe in them any more; then they are
 *       noted as lapsed, and go once their host was seen healthy since or is granted. Holds of
 *       clients that outlive their maximum are noted too, and exclude until their host was seen.
 *       Both by what the grantor {@link Witnessed}, whatever the clock on the wall says.
 *   <li>Checks are judged one after the other over all other locks, provisional ones included.
 *   <li>Tickets are served in queue order; a try is granted or refused there and then. A candidate
 *       that was turned back before is served among them by its age, with or without a ticket.
 *   <li>Other candidates without a ticket come after every ticket on their hosts; who is not
 *       granted takes a place in the queue.
 * </ol>
 *
 * <p>Properties: at most one excluding lock per host (I2); on a host nobody is granted before an
 * earlier ticket that could be served (I3), unless it is gone before that one could begin, and no
 * ticket is passed for longer than {@link Backfill#passedMax}; all hosts of a request or none (I4);
 * without an admission whoever is first everywhere is granted. A ticket is <i>blocked</i> (keeps
 * its place, reserves nothing, its clock stands still) while the fleet brake is on, while a
 * quarantine holds one of its hosts, while its rollout does not propose it, when the admission
 * refuses it for good, or when it would do so even if all who work had ended. With the brake on
 * nothing is granted and no check passes (what is held may end).
 */
public final class GrantorPass {

  /**
   * What a pass decides about.
   *
   * @param abandoned ids of {@link Candidates#abandoned} places
   */
  public record Input(
      LockTable table,
      List<Candidate> candidates,
      List<Check> checks,
      Instant now,
      Witnessed witnessed,
      Set<String> abandoned) {
    public Input {
      candidates = List.copyOf(candidates);
      checks = List.copyOf(checks);
      abandoned = Set.copyOf(abandoned);
    }

    /** Of rollouts that may come back for every place they have. */
    public Input(
        LockTable table,
        List<Candidate> candidates,
        List<Check> checks,
        Instant now,
        Witnessed witnessed) {
      this(table, candidates, checks, now, witnessed, Set.of());
    }

    /** Of a grantor that saw nothing yet. */
    public Input(LockTable table, List<Candidate> candidates, List<Check> checks, Instant now) {
      this(table, candidates, checks, now, Witnessed.NOTHING);
    }
  }

  /**
   * What this grantor saw itself, by a clock that does not jump.
   *
   * @param kept tickets of candidates that stay although nobody proposes them and their deadline is
   *     past by {@link Input#now}: they were not missed for long enough
   * @param lapsing hosts whose session lock expired and was seen so for its {@link
   *     LockRecord#delay}: nobody believes in it any more; and those whose hold was seen for its
   *     maximum
   */
  public record Witnessed(Set<String> kept, Set<String> lapsing) {
    /** Deadlines alone decide who stays, expired locks exclude and no hold is overdue. */
    public static final Witnessed NOTHING = new Witnessed(Set.of(), Set.of());

    public Witnessed {
      kept = Set.copyOf(kept);
      lapsing = Set.copyOf(lapsing);
    }
  }

  /**
   * Bounds of a pass.
   *
   * @param ticketsPerRollout places in the queue one rollout may take with hosts whose first turn
   *     is still to come
   * @param grants grants decided on one view of the fleet; the rest waits for the next pass
   * @param hostsPerGrant hosts one transaction can take
   * @param refreshBelow a candidate's ticket with less than this to its deadline is renewed
   * @param backfill how far a later request may go before an earlier one
   */
  public record Limits(
      int ticketsPerRollout,
      int grants,
      int hostsPerGrant,
      Duration refreshBelow,
      Backfill backfill) {
    /** The most hosts any grant can take, whatever its store would take. */
    public static final int HOSTS_PER_GRANT_MAX = 200;

    public static final Limits DEFAULT = new Limits(32, 64, 1000, Duration.ofMinutes(5));

    /** With the usual bounds of backfill. */
    public Limits(int ticketsPerRollout, int grants, int hostsPerGrant, Duration refreshBelow) {
      this(ticketsPerRollout, grants, hostsPerGrant, refreshBelow, Backfill.DEFAULT);
    }
  }

  private final Input input;
  private final Admission.Round round;
  private final Limits limits;
  private final HostQueue hostQueue;
  private final EligibilityEvaluator eligibilityEvaluator;
  private final Map<String, Candidate> pending;
  private final List<GrantorDecision> decisions = new ArrayList<>();
  private final List<Candidate> enqueued = new ArrayList<>();
  private final Map<String, Integer> places = new HashMap<>();
  private int grants;

  private GrantorPass(Input input, Admission.Round round, Limits limits) {
    this.input = input;
    this.round = round;
    this.limits = limits;
    hostQueue = new HostQueue(input.table());
    eligibilityEvaluator = new EligibilityEvaluator(input, round, limits, hostQueue, decisions);
    pending =
        input.candidates().stream()
            .map(this::believed)
            .collect(
                Collectors.toMap(
                    Candidate::ticketId, Function.identity(), (a, b) -> a, LinkedHashMap::new));
  }

  /** An age that etcd has not reached is from before it was restored, and says nothing. */
  private Candidate believed(Candidate candidate) {
    return candidate.aged(
        candidate.seniority().filter(age -> age.revision() <= input.table().revision()));
  }

  /** Decides; {@code round} is asked in order and must answer from one view of the fleet. */
  public static List<GrantorDecision> decide(Input input, Admission.Round round, Limits limits) {
    GrantorPass pass = new GrantorPass(input, round, limits);
    pass.lapsed();
    pass.checks();
    pass.inOrder();
    pass.enqueue();
    return List.copyOf(pass.decisions);
  }

  private void lapsed() {
    input.table().locks().values().stream()
        .filter(lock -> input.table().expired(lock) || lock.verifiedAfterMaximum())
        .sorted(Comparator.comparing(LockRecord::host))
        .forEach(this::lapsed);
  }

  private void lapsed(LockRecord lock) {
    Optional<EndedLock> noted =
        Optional.ofNullable(input.table().ended().get(lock.host())).filter(end -> end.isOf(lock));
    if (noted.isEmpty()) {
      if (input.witnessed().lapsing().contains(lock.host())) {
        decisions.add(new GrantorDecision.NoteLapse(lock));
      }
    } else if (round.healthySince(lock.host(), noted.get().mark())) {
      removeLapsed(
          lock, lock.host() + " was seen healthy after the lock lapsed or its time was over");
    }
  }

  private void removeLapsed(LockRecord lock, String reason) {
    hostQueue.remove(lock);
    decisions.add(new GrantorDecision.RemoveLapsed(lock, reason));
  }

  private void checks() {
    for (Check check : input.checks()) {
      GrantorDecision.JudgeCheck judged =
          brake()
              .map(brake -> Checks.held(check, brake))
              .orElseGet(() -> Checks.judge(check, hostQueue, round));
      if (judged.verdict().awaited()) {
        continue; // A check is decided once; it waits until those asked have answered.
      }
      judged.hold().forEach(hostQueue::put);
      decisions.add(judged);
    }
  }

  private Optional<Brake> brake() {
    return input.table().brake();
  }

  /** Whoever has an age by it, then the others. */
  private void inOrder() {
    Set<String> queued = new HashSet<>();
    List<Turn> turns = new ArrayList<>();
    for (Ticket ticket : input.table().tickets()) {
      queued.add(ticket.id());
      ticket.rollout().ifPresent(rollout -> places.merge(rollout, 1, Integer::sum));
      turns.add(new Turn(ticket.seniority(), () -> ticket(ticket)));
    }
    for (Candidate candidate : pending.values()) {
      if (!queued.contains(candidate.ticketId())) {
        Seniority age = candidate.seniority().orElse(Seniority.NEWCOMER);
        turns.add(new Turn(age, () -> withoutTicket(candidate)));
      }
    }
    turns.sort(Comparator.comparing(Turn::age));
    for (Turn turn : turns) {
      if (grants >= limits.grants()) {
        return;
      }
      turn.take().run();
    }
  }

  /** Whose turn it is, and what it does with it. */
  private record Turn(Seniority age, Runnable take) {}

  private void ticket(Ticket ticket) {
    if (ticket.mode() == Mode.CANDIDATE) {
      candidateTicket(ticket);
    } else {
      foreignTicket(ticket);
    }
  }

  private void foreignTicket(Ticket ticket) {
    if (!input.table().alive().contains(ticket.id())) {
      decisions.add(
          new GrantorDecision.TurnAway(ticket, "its client is gone, or did not renew it in time"));
      return;
    }
    switch (eligibilityEvaluator.of(ticket)) {
      case Eligibility.Now now -> grant(ticket, now);
      case Eligibility.Later later -> {
        if (!tried(ticket, later.reason())) {
          eligibilityEvaluator.reserve(ticket, later);
          decisions.add(new GrantorDecision.TicketWaits(ticket, later.reason(), later.behind()));
        }
      }
      case Eligibility.Blocked blocked -> {
        if (!tried(ticket, blocked.reason())) {
          eligibilityEvaluator.blocked(ticket);
          String reason = HostQueue.blocked(blocked.reason());
          decisions.add(new GrantorDecision.TicketWaits(ticket, reason, blocked.behind()));
        }
      }
      case Eligibility.Never never ->
          decisions.add(new GrantorDecision.TurnAway(ticket, never.reason()));
    }
  }

  private void grant(Ticket ticket, Eligibility.Now now) {
    Verdict verdict = now.verdict();
    Ticket granted = verdict.granted() ? ticket : ticket.over(verdict.reason());
    eligibilityEvaluator.granted(now);
    take(Grants.foreign(granted, input.now()), ticket.holder());
    decisions.add(new GrantorDecision.GrantTicket(granted, verdict));
  }

  /** Who only tries is answered at once. */
  private boolean tried(Ticket ticket, String reason) {
    if (ticket.mode() == Mode.TRY) {
      decisions.add(new GrantorDecision.TurnAway(ticket, reason));
    }
    return ticket.mode() == Mode.TRY;
  }

  private void candidateTicket(Ticket ticket) {
    Candidate candidate = pending.get(ticket.id());
    if (candidate == null || !candidate.hosts().equals(ticket.hosts())) {
      // Blocked: its rollout may be paused or backing off. The deadline ends it if the rollout
      // never comes back and does not say so.
      if (input.abandoned().contains(ticket.id()) || overdue(ticket)) {
        decisions.add(
            new GrantorDecision.TurnAway(ticket, "its rollout no longer wants the hosts"));
      } else {
        eligibilityEvaluator.blocked(ticket);
      }
      return;
    }
    if (input.now().plus(limits.refreshBelow()).isAfter(ticket.pollDeadline())) {
      decisions.add(new GrantorDecision.Refresh(ticket));
    }
    if (attempt(candidate, Optional.of(ticket), ticket).orElse(null)
        instanceof Eligibility.Later later) {
      eligibilityEvaluator.reserve(ticket, later);
    }
  }

  private boolean overdue(Ticket place) {
    return input.now().isAfter(place.pollDeadline())
        && !input.witnessed().kept().contains(place.id());
  }

  /**
   * Grants it, or says why not.
   *
   * @return what it waits for, unless only people end that
   */
  private Optional<Eligibility> attempt(
      Candidate candidate, Optional<Ticket> ticket, Ticket place) {
    if (candidate.hosts().size() > limits.hostsPerGrant()) {
      return blocked(
          candidate,
          place,
          candidate.hosts().size()
              + " hosts at once are more than one grant can take ("
              + limits.hostsPerGrant()
              + ")");
    }
    return switch (eligibilityEvaluator.of(place)) {
      case Eligibility.Now now -> {
        eligibilityEvaluator.granted(now);
        take(Grants.batch(candidate), candidate.holder());
        Candidate aged = candidate.aged(ticket.map(Ticket::seniority).or(candidate::seniority));
        decisions.add(new GrantorDecision.GrantCandidate(aged, ticket, now.verdict()));
        yield Optional.empty();
      }
      case Eligibility.Later later -> {
        decisions.add(new GrantorDecision.CandidateWaits(candidate, later.reason()));
        yield Optional.of(later);
      }
      case Eligibility.Blocked blocked -> {
        Optional<Eligibility> nothing = blocked(candidate, place, blocked.reason());
        yield blocked.behind() ? nothing : Optional.of(blocked);
      }
      case Eligibility.Never never -> blocked(candidate, place, never.reason());
    };
  }

  private Optional<Eligibility> blocked(Candidate candidate, Ticket place, String reason) {
    eligibilityEvaluator.blocked(place);
    decisions.add(new GrantorDecision.CandidateWaits(candidate, reason));
    return Optional.empty();
  }

  /**
   * Waiting in vain takes a place in the queue; the bound is on places nobody ever had. Until it is
   * there nobody goes before it: nothing could tell for how long.
   */
  private void withoutTicket(Candidate candidate) {
    Ticket place = Grants.placeOf(candidate, enqueued.size());
    Optional<Eligibility> waits = attempt(candidate, Optional.empty(), place);
    if (waits.isEmpty()) {
      return;
    }
    int taken = places.merge(candidate.rollout(), 1, Integer::sum);
    if (candidate.seniority().isPresent() || taken <= limits.ticketsPerRollout()) {
      if (waits.get() instanceof Eligibility.Later later) {
        hostQueue.await(place, Reservation.strict(later.reservation().from()));
      }
      enqueued.add(candidate);
    }
  }

  private void enqueue() {
    if (!enqueued.isEmpty()) {
      decisions.add(new GrantorDecision.Enqueue(enqueued));
    }
  }

  private void take(List<LockRecord> records, String holder) {
    grants++;
    for (LockRecord record : records) {
      hostQueue
          .lapsedOn(record.host())
          .ifPresent(lock -> removeLapsed(lock, record.host() + " is granted to " + holder));
      hostQueue.put(record);
    }
  }
}
