package dev.drydock.impact.plan;

import dev.drydock.impact.core.Policies;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a plan is made for.
 *
 * @param begin when it begins, in whole milliseconds, as all times of a plan are: what is finer is
 *     cut off, or a window would open between two of them
 * @param allOrNone applications whose fault zones are in maintenance all together or not at all
 * @param down hosts that are down already, by number, and until when, in milliseconds from the
 *     beginning; {@link #FOR_GOOD} when nobody knows. They count against the rules
 * @param past what was disrupted before, as far back as rules ask; the longest ago first
 * @param hostsMost at most so many hosts of all rollouts at once
 * @param batchMost at most so many hosts go together, or they never go: more than one grant takes
 * @param rollouts no host is in two of them
 */
public record PlanInput(
    CompactFleet fleet,
    Policies policies,
    Instant begin,
    Set<String> allOrNone,
    Map<Integer, Long> down,
    List<PriorDisruption> past,
    int hostsMost,
    int batchMost,
    List<PlannedRollout> rollouts) {
  public static final long FOR_GOOD = Long.MAX_VALUE;

  public PlanInput {
    begin = begin.truncatedTo(ChronoUnit.MILLIS);
    allOrNone = Set.copyOf(allOrNone);
    down = Map.copyOf(down);
    past = List.copyOf(past);
    rollouts = List.copyOf(rollouts);
  }

  /**
   * What each rollout comes to by its priority and age; the higher goes first.
   *
   * <p>Up to the highest priority it rises by hours, and then shares with those that stand there.
   * If it rose no further, it could wait for ever while more and more of them come: so it rises by
   * days, above all that came a day later.
   */
  int[] standing() {
    int highest = rollouts.stream().mapToInt(PlannedRollout::priority).max().orElse(0);
    return rollouts.stream()
        .mapToInt(
            one ->
                (int)
                    (Math.min(highest, one.priority() + one.age().toHours()) + one.age().toDays()))
        .toArray();
  }

  /** One rollout, and everything up. */
  public static PlanInput of(
      CompactFleet fleet, Policies policies, Instant begin, PlannedRollout plannedRollout) {
    return new PlanInput(
        fleet,
        policies,
        begin,
        policies.zonesTogether(),
        Map.of(),
        List.of(),
        Integer.MAX_VALUE,
        Integer.MAX_VALUE,
        List.of(plannedRollout));
  }
}
