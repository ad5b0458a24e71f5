package dev.drydock.impact.plan;

import java.time.Duration;
import java.util.List;

/**
 * Hosts somebody wants done.
 *
 * @param priority the higher goes first; each hour of age counts as one more, up to the highest
 *     priority of all, and each day beyond it, so that nobody waits for ever. Those alike share
 *     fairly
 * @param age how long ago it was submitted
 * @param hosts by number; what is on none of them stays up
 * @param canaryHosts how many of them, at least, are done and watched before the rest begins; 0 for
 *     none
 * @param soak how long they are watched once they are done
 * @param gates canaries that policies ask for, each named
 */
public record PlannedRollout(
    String id,
    int priority,
    Duration age,
    int[] hosts,
    int canaryHosts,
    Duration soak,
    List<Gate> gates) {

  public PlannedRollout {
    gates = List.copyOf(gates);
  }

  /**
   * Hosts that wait until others are done and were watched.
   *
   * @param says what they wait for
   * @param canaries by number; none of them waits at any gate
   * @param waiting by number
   */
  public record Gate(String says, int[] canaries, int[] waiting, Duration soak) {}

  /** The same without canaries of policies. */
  public PlannedRollout(
      String id, int priority, Duration age, int[] hosts, int canaryHosts, Duration soak) {
    this(id, priority, age, hosts, canaryHosts, soak, List.of());
  }

  /** The same behind these gates. */
  public PlannedRollout behind(List<Gate> others) {
    return new PlannedRollout(id, priority, age, hosts, canaryHosts, soak, others);
  }

  /** All of it alike, at once. */
  public static PlannedRollout of(String id, int... hosts) {
    return new PlannedRollout(id, 0, Duration.ZERO, hosts, 0, Duration.ZERO);
  }
}
