package dev.drydock.lock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A lock on one host. A hold is stored so under {@code locks/<host>} in etcd, a session lock in one
 * record for all its hosts. Neither has a lease: a session lock lives by its separate alive key, a
 * hold is only ended by its owner, by verification or by break-glass.
 *
 * @param id ticket id of a session lock, grant id of a hold
 * @param host the locked host
 * @param hosts all hosts locked in the same grant, {@code host} among them
 * @param applications applications it takes down; empty means all on the host
 * @param holder principal on whose behalf it is held
 * @param rollout the rollout of a batch hold
 * @param beat beat of the grant (protocol P10)
 * @param token fencing number: the create revision of the record, 0 before it is stored
 * @param maxSeconds the longest it may last, enforced by etcd; 0 means without an end
 * @param grantedAt the grantor's clock at the grant, good for estimates only
 * @param advisory of a client no budget stops; where one said Wait to it, the reason tells
 * @param leaseSeconds lease of a session lock; 0 where it was not written down
 */
public record LockRecord(
    String id,
    Kind kind,
    Stage stage,
    String host,
    List<String> hosts,
    List<String> applications,
    String holder,
    String reason,
    Optional<String> rollout,
    long epoch,
    long beat,
    long token,
    int maxSeconds,
    Optional<Instant> grantedAt,
    boolean advisory,
    int leaseSeconds) {

  /**
   * How the reason of a lock begins that a person broke; the person's name and {@code (} follow.
   */
  public static final String BROKEN_BY = "broken by ";

  /** What ends the lock. */
  public enum Kind {
    SESSION,
    BATCH,
    QUARANTINE,
    /** A hold of a FleetLock client: without a lease, verified when it outlives its maximum. */
    FLEETLOCK
  }

  /** How far the checks of a hold came (protocol P7); a session lock is granted OPEN. */
  public enum Stage {
    PROVISIONAL,
    CONFIRMED,
    OPEN
  }

  public LockRecord {
    hosts = List.copyOf(hosts);
    applications = List.copyOf(applications);
  }

  /** A lock without an end of its own. */
  public LockRecord(
      String id,
      Kind kind,
      Stage stage,
      String host,
      List<String> hosts,
      List<String> applications,
      String holder,
      String reason,
      Optional<String> rollout,
      long epoch,
      long beat,
      long token) {
    this(
        id,
        kind,
        stage,
        host,
        hosts,
        applications,
        holder,
        reason,
        rollout,
        epoch,
        beat,
        token,
        0,
        Optional.empty(),
        false,
        0);
  }

  /** A client's hold with a declared maximum: past that its host is verified. */
  public boolean verifiedAfterMaximum() {
    return kind == Kind.FLEETLOCK && maxSeconds > 0;
  }

  /**
   * For how long the client of a session lock may believe in it after its last renewal: so long the
   * lock goes on excluding once it expired (a lock-delay).
   */
  public Duration delay() {
    return Duration.ofSeconds(leaseSeconds > 0 ? leaseSeconds : Ticket.LEASE_SECONDS_MAX);
  }

  /**
   * When its time is over, whatever its holder does; empty when nothing enforces that. Only a
   * holder that did not end it by then has its host kept for a {@link #delay} more. A hold past its
   * maximum is only verified.
   */
  public Optional<Instant> enforcedEnd() {
    boolean enforced = kind == Kind.SESSION && maxSeconds > 0;
    return enforced ? grantedAt.map(since -> since.plusSeconds(maxSeconds)) : Optional.empty();
  }

  /** The same lock after a check. */
  public LockRecord withStage(Stage reached) {
    return with(draft -> draft.stage = reached);
  }

  /** The same hold once its host could not be returned to service. */
  public LockRecord quarantined(String why) {
    return with(
        draft -> {
          draft.kind = Kind.QUARANTINE;
          draft.reason = why;
        });
  }

  /** The same lock on another of its hosts. */
  public LockRecord on(String other) {
    return other.equals(host) ? this : with(draft -> draft.host = other);
  }

  /** The same lock with its token, known once it is stored. */
  public LockRecord withToken(long revision) {
    return with(draft -> draft.token = revision);
  }

  /** The same lock with the end and the rights that its ticket asked for. */
  LockRecord onTermsOf(Ticket ticket, Instant granted) {
    return with(
        draft -> {
          draft.maxSeconds = ticket.maxSeconds();
          draft.grantedAt = Optional.of(granted);
          draft.advisory = ticket.advisory();
          draft.leaseSeconds = ticket.leaseSeconds();
        });
  }

  private LockRecord with(Consumer<Draft> change) {
    Draft draft = new Draft();
    change.accept(draft);
    return new LockRecord(
        id,
        draft.kind,
        draft.stage,
        draft.host,
        hosts,
        applications,
        holder,
        draft.reason,
        rollout,
        epoch,
        beat,
        draft.token,
        draft.maxSeconds,
        draft.grantedAt,
        draft.advisory,
        draft.leaseSeconds);
  }

  /** What may be different in a copy. */
  private final class Draft {
    private Kind kind = LockRecord.this.kind;
    private Stage stage = LockRecord.this.stage;
    private String host = LockRecord.this.host;
    private String reason = LockRecord.this.reason;
    private long token = LockRecord.this.token;
    private int maxSeconds = LockRecord.this.maxSeconds;
    private Optional<Instant> grantedAt = LockRecord.this.grantedAt;
    private boolean advisory = LockRecord.this.advisory;
    private int leaseSeconds = LockRecord.this.leaseSeconds;
  }
}
