package dev.drydock.lock.core;

import java.util.Collection;

/**
 * Decides whether hosts may be taken, beyond being free. The lock service grants, an admission admits; alone, the lock
 * service uses {@link #exclusiveOnly()}.
 */
public interface Admission {

  /**
   * Begins a round of decisions over one consistent view of the fleet, read now. Called by the elected grantor only;
   * may do I/O and may fail, in which case nothing is granted.
   */
  Round begin(LockTable table);

  /** Judges requests one after the other; each sees the locks granted before it. */
  interface Round {

    /**
     * Whether {@code hosts} may be taken in addition to all {@code held} locks.
     *
     * @param applications applications taken down; empty means all on the hosts
     * @param held every lock now, lapsed ones and those granted earlier in this round included
     */
    Verdict judge(
        Collection<String> hosts, Collection<String> applications, Collection<LockRecord> held);
  }

  /** Grants whatever the queue allows. */
  static Admission exclusiveOnly() {
    return table ->
        (hosts, applications, held) ->
            new Verdict(Verdict.Decision.GRANT, "no admission configured", java.util.List.of());
  }
}
