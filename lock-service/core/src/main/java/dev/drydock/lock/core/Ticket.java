package dev.drydock.lock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A place in the queue of one or more hosts, as stored under {@code tickets/<id>/<index>} in etcd.
 * Its own age is the revision that created it; a batch that was turned back brings the age of its
 * first turn.
 *
 * @param id chosen by the client, so that enqueueing twice is enqueueing once
 * @param createRevision etcd revision at which it entered
 * @param index place among the tickets enqueued in the same transaction
 * @param applications applications it takes down; empty means all on the hosts
 * @param pollDeadline for people: one that is not renewed by about then leaves the queue, which the
 *     lease of its alive key enforces; that of a candidate is the grantor's own
 * @param waitSeconds how far a renewal moves the deadline
 * @param leaseSeconds lease of the session lock once granted
 * @param rollout set for a rollout candidate that keeps its place in the queue
 * @param brought the age it came with, when it had its turn before
 * @param maxSeconds the longest its lock may last, enforced by etcd; 0 means without an end
 * @param advisory a budget that says Wait does not stop it; its hosts are exclusive all the same
 * @param askingUntil set while a FleetLock client's poll is open and can carry the grant; until
 *     about then
 */
public record Ticket(
    String id,
    Mode mode,
    List<String> hosts,
    List<String> applications,
    String holder,
    String reason,
    Instant pollDeadline,
    int waitSeconds,
    int leaseSeconds,
    Optional<String> rollout,
    long createRevision,
    int index,
    Optional<Seniority> brought,
    int maxSeconds,
    boolean advisory,
    Optional<Instant> askingUntil) {

  /** What happens when it cannot be granted at once. */
  public enum Mode {
    /** Refused with the reason. */
    TRY,
    /** Waits its turn. */
    WAIT,
    /** Keeps the place of a rollout's host; granted as a hold, never as a session lock. */
    CANDIDATE,
    /** A FleetLock client that polls; granted as a hold, in the answer to a poll of its own. */
    FLEETLOCK
  }

  /** The longest lease of a session lock that clients may ask for. */
  public static final int LEASE_SECONDS_MAX = 3_600;

  /** How far apart the clocks of servers may be: one says until when a poll is open, one grants. */
  public static final Duration CLOCKS_APART_MAX = Duration.ofMinutes(1);

  /** The one order of all tickets (I3). */
  public static final Comparator<Ticket> ORDER = Comparator.comparing(Ticket::seniority);

  public Ticket {
    hosts = List.copyOf(hosts);
    applications = List.copyOf(applications);
  }

  /**
   * One as its client asks for it: in no queue yet, without an end of its lock, neither advisory
   * nor polling.
   */
  public Ticket(
      String id,
      Mode mode,
      List<String> hosts,
      List<String> applications,
      String holder,
      String reason,
      Instant pollDeadline,
      int waitSeconds,
      int leaseSeconds) {
    this(
        id,
        mode,
        hosts,
        applications,
        holder,
        reason,
        pollDeadline,
        waitSeconds,
        leaseSeconds,
        Optional.empty(),
        0,
        0,
        Optional.empty(),
        0,
        false,
        Optional.empty());
  }

  /** What orders it among all tickets. */
  public Seniority seniority() {
    return brought.orElseGet(() -> new Seniority(createRevision, index));
  }

  /** The same place in the queue, kept until later. */
  public Ticket withDeadline(Instant later) {
    return with(draft -> draft.pollDeadline = later);
  }

  /** The same ticket for a lock that ends by itself. */
  public Ticket lasting(int seconds) {
    return with(draft -> draft.maxSeconds = seconds);
  }

  /** The same ticket of a client whom no budget stops, or of one whom budgets stop. */
  public Ticket advised(boolean advised) {
    return with(draft -> draft.advisory = advised);
  }

  /** The same place of a FleetLock client that polls now, or no longer does. */
  public Ticket asking(Optional<Instant> until) {
    return with(draft -> draft.askingUntil = until);
  }

  /** The same ticket as etcd has it. */
  public Ticket at(long revision) {
    return with(draft -> draft.createRevision = revision);
  }

  /** The same ticket with the age it brings along, or without one. */
  public Ticket aged(Optional<Seniority> age) {
    return with(draft -> draft.brought = age);
  }

  /** The same ticket as the place of a rollout's candidate, entered as one of several. */
  Ticket ofRollout(String name, int at) {
    return with(
        draft -> {
          draft.rollout = Optional.of(name);
          draft.index = at;
        });
  }

  /** The same ticket taken over what a budget said, which is told with its reason from now on. */
  Ticket over(String finding) {
    return with(draft -> draft.reason = reason + " (advisory, although " + finding + ")");
  }

  /**
   * Whether somebody would hear of a grant: who polls is granted in the answer to a poll only. One
   * that is long past was left open by a server that died.
   */
  public boolean canBeGranted(Instant now) {
    Instant closed = now.minus(CLOCKS_APART_MAX);
    return mode != Mode.FLEETLOCK
        || askingUntil.filter(until -> !closed.isAfter(until)).isPresent();
  }

  /**
   * Whether its client lives by the lock's own lease from the start: a try does not wait unseen,
   * and a lock without a maximum has no term that would have to begin with its grant.
   */
  public boolean onItsOwnLease() {
    return mode == Mode.TRY && maxSeconds == 0;
  }

  /** Whether its client lives by an alive key; a candidate's is the database. */
  public boolean hasAliveKey() {
    return mode != Mode.CANDIDATE;
  }

  private Ticket with(Consumer<Draft> change) {
    Draft draft = new Draft();
    change.accept(draft);
    return new Ticket(
        id,
        mode,
        hosts,
        applications,
        holder,
        draft.reason,
        draft.pollDeadline,
        waitSeconds,
        leaseSeconds,
        draft.rollout,
        draft.createRevision,
        draft.index,
        draft.brought,
        draft.maxSeconds,
        draft.advisory,
        draft.askingUntil);
  }

  /** What may be different in a copy. */
  private final class Draft {
    private String reason = Ticket.this.reason;
    private Instant pollDeadline = Ticket.this.pollDeadline;
    private Optional<String> rollout = Ticket.this.rollout;
    private long createRevision = Ticket.this.createRevision;
    private int index = Ticket.this.index;
    private Optional<Seniority> brought = Ticket.this.brought;
    private int maxSeconds = Ticket.this.maxSeconds;
    private boolean advisory = Ticket.this.advisory;
    private Optional<Instant> askingUntil = Ticket.this.askingUntil;
  }
}
