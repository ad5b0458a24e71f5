package dev.drydock.lock.core;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A lock on one host, as stored under {@code locks/<host>} in etcd. It has no lease: a session lock
 * lives by its separate alive key, a hold is only ended by its owner, by verification or by
 * break-glass.
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
 * @param advisory of a client no budget stops; where one said Hold to it, the reason tells
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
    boolean advisory) {

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
        false);
  }

  /** A client's hold that outlived its declared maximum: its host is to be verified. */
  public boolean overdue(Instant now) {
    return kind == Kind.FLEETLOCK
        && maxSeconds > 0
        && grantedAt.filter(since -> now.isAfter(since.plusSeconds(maxSeconds))).isPresent();
  }

  /**
   * When it is gone at the latest, whatever its holder does; empty when nothing enforces that. A
   * hold past its maximum is only verified.
   */
  public Optional<Instant> enforcedEnd() {
    boolean enforced = kind == Kind.SESSION && maxSeconds > 0 && !SessionIds.shared(id);
    return enforced ? grantedAt.map(since -> since.plusSeconds(maxSeconds)) : Optional.empty();
  }

  /** The same lock after a check. */
  public LockRecord withStage(Stage reached) {
    return new LockRecord(
        id,
        kind,
        reached,
        host,
        hosts,
        applications,
        holder,
        reason,
        rollout,
        epoch,
        beat,
        token,
        maxSeconds,
        grantedAt,
        advisory);
  }

  /** The same hold once its host could not be returned to service. */
  public LockRecord quarantined(String why) {
    return new LockRecord(
        id,
        Kind.QUARANTINE,
        stage,
        host,
        hosts,
        applications,
        holder,
        why,
        rollout,
        epoch,
        beat,
        token,
        maxSeconds,
        grantedAt,
        advisory);
  }

  /** The same lock with its token, known once it is stored. */
  public LockRecord withToken(long revision) {
    return new LockRecord(
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
        revision,
        maxSeconds,
        grantedAt,
        advisory);
  }
}
