package dev.drydock.impact.plan;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What is to be done, as numbers: units (a host, or hosts that go together) and what each takes of
 * which limit. Built once, then read only.
 *
 * @param hostFirst place of each unit's first host in {@code hosts}, and one more that ends the
 *     last
 * @param millis how long each unit takes; the longest of its hosts
 * @param rowFirst place of each unit's first row in {@code rowLimit}, and one more
 * @param rowLimit limits that concern the unit; domains of one group stand together
 * @param rowTakes how much of the limit the unit takes
 * @param rollout of each unit, by number; -1 for what is down already
 * @param standing of each rollout; the higher goes first, those alike share
 * @param downUntil of units that are down already, in milliseconds; -1 for others
 * @param canaries units that a gate waits for, by gate
 * @param openings of gates that open by themselves
 * @param past what counts in rates from before, in the order of time
 * @param infeasible hosts of which no unit was made, as they can never be taken
 * @param held hosts of which none was made as things are
 * @param assumed rules that cannot be foreseen; the plan takes them to allow
 */
record PlanProblem(
    CompactFleet fleet,
    Instant begin,
    PlanLimits limits,
    int[] hosts,
    int[] hostFirst,
    long[] millis,
    int[] rowFirst,
    int[] rowLimit,
    int[] rowTakes,
    int[] rollout,
    int[] standing,
    long[] downUntil,
    List<Canaries> canaries,
    List<Opening> openings,
    List<Past> past,
    List<Infeasible> infeasible,
    List<Plan.Waiting> held,
    List<String> assumed) {

  /** The first hosts of a rollout; one that is no unit never ends, and its gate never opens. */
  record Canaries(int gate, int[] units, long soakMillis) {}

  /** When a gate opens, in milliseconds. */
  record Opening(int gate, long millis) {}

  /** An instance taken down before the beginning, so long ago, under a rate. */
  record Past(int rate, long agoMillis) {}

  int units() {
    return millis.length;
  }

  boolean isDown(int unit) {
    return downUntil[unit] >= 0;
  }

  int hostCount(int unit) {
    return hostFirst[unit + 1] - hostFirst[unit];
  }

  /** Its hosts by name. */
  List<String> names(int unit) {
    return IntStream.range(hostFirst[unit], hostFirst[unit + 1])
        .mapToObj(at -> fleet.host(hosts[at]))
        .toList();
  }
}
