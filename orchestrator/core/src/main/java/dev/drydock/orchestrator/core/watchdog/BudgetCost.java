package dev.drydock.orchestrator.core.watchdog;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What a late host costs: how many pending hosts wait for budget that it holds.
 *
 * @param waiting pending hosts, by application
 */
public record BudgetCost(Map<String, Integer> waiting) {

  public BudgetCost {
    waiting = Map.copyOf(waiting);
  }

  /**
   * The cost of a host that runs these applications.
   *
   * @param all pending hosts that wait for budget, by application
   */
  public static BudgetCost of(Map<String, Integer> all, Set<String> applications) {
    Map<String, Integer> cost = new HashMap<>(all);
    cost.keySet().retainAll(applications);
    return new BudgetCost(cost);
  }

  /** How many hosts wait, for whichever application. */
  public int hosts() {
    return waiting.values().stream().mapToInt(Integer::intValue).sum();
  }
}
