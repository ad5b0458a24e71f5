package dev.drydock.lock.core;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The rollouts' side of granting, called by the elected grantor only. Everything here is written to
 * the store that remembers what was asked (PostgreSQL); every method may be repeated after a crash.
 */
public interface Candidates {

  /**
   * A batch of hosts a rollout wants next.
   *
   * @param ticketId id under which the candidate keeps its place in the queue, derived from rollout
   *     and hosts
   * @param seniority the age of a batch that was granted before and turned back: it stands before
   *     everything accepted since its first turn
   */
  record Candidate(
      String ticketId,
      String rollout,
      List<String> hosts,
      String holder,
      String reason,
      Optional<Seniority> seniority) {

    /** A candidate that was never granted. */
    public Candidate(
        String ticketId, String rollout, List<String> hosts, String holder, String reason) {
      this(ticketId, rollout, hosts, holder, reason, Optional.empty());
    }

    /** The same candidate with this age, or with none. */
    public Candidate aged(Optional<Seniority> age) {
      return new Candidate(ticketId, rollout, hosts, holder, reason, age);
    }
  }

  /** A grant about to be committed: its row exists as {@code proposed}. */
  record Proposal(String grantId, long epoch, long beat) {}

  /** A check of a granted batch (protocol P7) asked for by its workflow. */
  record Check(String grantId, Kind kind, int round, List<String> hosts) {
    /** The stage the hold reaches when the verdict is a grant. */
    public enum Kind {
      CONFIRM,
      OPEN
    }
  }

  /**
   * A host that has to be locked although nobody waits for it: its lock was lost, or what became of
   * it is not known.
   *
   * @param hosts all hosts of the lock, {@code host} among them
   * @param kind of a hold, which no time ends
   * @param replaces the quarantine of the host that ends for it
   */
  record Impound(
      String lockId,
      String host,
      List<String> hosts,
      LockRecord.Kind kind,
      Optional<String> rollout,
      String holder,
      String reason,
      long epoch,
      long beat,
      Optional<Replaced> replaces) {
    public Impound {
      hosts = List.copyOf(hosts);
    }

    /** A lock that replaces none. */
    public Impound(
        String lockId,
        String host,
        List<String> hosts,
        LockRecord.Kind kind,
        Optional<String> rollout,
        String holder,
        String reason,
        long epoch,
        long beat) {
      this(lockId, host, hosts, kind, rollout, holder, reason, epoch, beat, Optional.empty());
    }

    /** The quarantine that ends for this lock, if the host has it. */
    public Optional<Replaced> ending(LockRecord lock) {
      return replaces.filter(
          old -> lock.kind() == LockRecord.Kind.QUARANTINE && lock.id().equals(old.lockId()));
    }
  }

  /**
   * A quarantine that ends so that its host can be brought back.
   *
   * @param mark observations before it say nothing about the host
   */
  record Replaced(String lockId, long mark) {}

  /**
   * Batches that could start now: those turned back before by their age, then the others; none that
   * are backing off. Whoever has an age or a place in the queue is among them every time, and
   * everybody else within a bounded number of calls, however many of the others cannot go.
   *
   * @param queued ids of tickets that wait
   * @param limit how many of those without age and place
   */
  List<Candidate> pending(Collection<String> queued, int limit);

  /**
   * Ids of those places in the queue that no rollout comes back for: every host has ended in the
   * rollout of the place, or left it. One that is only not offered now is not among them: its
   * rollout is paused, it backs off, or a grant of it is not yet known to stand.
   *
   * @param places tickets of candidates; what the answer costs grows with these alone
   */
  Set<String> abandoned(Collection<Ticket> places);

  /**
   * Whether no rollout is under way. While one is, a host that backs off may come before everybody
   * who waits, from a moment on that nobody tells of.
   */
  boolean idle();

  /**
   * Writes the proposed row with its evidence and the candidate's age, and takes the next beat;
   * empty if the candidate is no longer pending, a store is being recovered, or the last beat is
   * not there any more.
   */
  Optional<Proposal> propose(Candidate candidate, Verdict verdict);

  /**
   * The etcd transaction of the proposal is known to be committed at {@code revision}: the batch
   * may start. Its hosts keep the age it was proposed with, which for a first turn that took no
   * ticket is {@code revision}.
   */
  void committed(String grantId, long revision);

  /**
   * The etcd transaction is known not to be committed and never will be: the hosts are pending
   * again.
   */
  void voided(String grantId, String reason);

  /**
   * Whether both stores are of one time (protocol P10): asked at each election and each second.
   * While they are not, nothing is granted.
   */
  default boolean agree() {
    return true;
  }

  /** Takes the next beat, if beats are taken, and where the last one is still there. */
  default OptionalLong nextBeat() {
    return OptionalLong.empty();
  }

  /**
   * etcd has the beat.
   *
   * @param generation the one it was written under
   */
  default void beatKept(long beat, long generation) {}

  /** Hosts to be locked before anybody else gets them, oldest first. */
  default List<Impound> impounds() {
    return List.of();
  }

  /** The lock stands since {@code revision}. */
  default void impounded(Impound impound, long revision) {}

  /** Remembers why candidates wait. */
  void waiting(Map<Candidate, String> reasons);

  /** Checks that wait for a verdict, oldest first. */
  List<Check> checks();

  /** The verdict of a check; for a grant the hold's new stage is already committed in etcd. */
  void checked(Check check, Verdict verdict);
}
