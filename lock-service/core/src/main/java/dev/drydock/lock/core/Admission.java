package dev.drydock.lock.core;

import java.util.Collection;
import java.util.List;

/**
 * Decides whether hosts may be taken, beyond being free. The lock service grants, an admission
 * admits; alone, the lock service uses {@link #exclusiveOnly()}.
 */
public interface Admission {

  /**
   * Begins a round of decisions over one consistent view of the fleet, read now. Called by the
   * elected grantor only; may do I/O and may fail, in which case nothing is granted.
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

    /**
     * The verdict if all who work had ended and their hosts were up again. Unless it is a grant,
     * the request waits for what no holder brings back, and nobody has to wait behind it. If it
     * takes nothing even then, the request eats of no budget that anybody waits for.
     *
     * @param ending locks of those who work
     * @param staying all others: lapsed ones and quarantines
     */
    default Verdict judgeOnceOthersEnd(
        Collection<String> hosts,
        Collection<String> applications,
        Collection<LockRecord> ending,
        Collection<LockRecord> staying) {
      return new Verdict(
          Verdict.Decision.GRANT, "nobody knows of what stays down by itself", List.of());
    }

    /**
     * Whether every instance that should run on {@code host} was observed healthy at or after
     * {@code mark}. Asked for the host of a lapsed lock, which goes when the answer is yes.
     */
    default boolean healthySince(String host, long mark) {
      return false;
    }
  }

  /** Grants whatever the queue allows. */
  static Admission exclusiveOnly() {
    Verdict grant = new Verdict(Verdict.Decision.GRANT, "no admission configured", List.of());
    return table ->
        new Round() {
          @Override
          public Verdict judge(
              Collection<String> hosts,
              Collection<String> applications,
              Collection<LockRecord> held) {
            return grant;
          }

          @Override
          public boolean healthySince(String host, long mark) {
            return true; // Nobody counts what is up, so nothing keeps a lapsed lock.
          }
        };
  }
}
