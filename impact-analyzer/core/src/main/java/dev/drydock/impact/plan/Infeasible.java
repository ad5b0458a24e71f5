package dev.drydock.impact.plan;

import java.util.List;

/**
 * Hosts that can never be taken as things are configured, alone or as the batch they belong to.
 *
 * @param hosts by name; more than one when a fault zone is taken all together
 * @param reasons each names application, rule and numbers
 */
public record Infeasible(List<String> hosts, List<String> reasons) {
  public Infeasible {
    hosts = List.copyOf(hosts);
    reasons = List.copyOf(reasons);
  }
}
