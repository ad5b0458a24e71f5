package dev.drydock.auditor.core;

import java.util.List;
import java.util.Optional;

/**
 * A row of {@code batch_hooks}.
 *
 * @param hosts what it is about
 * @param order pre hooks go from the lowest to the highest, post hooks back
 * @param pre number of the pre hook whose effect it takes back
 */
public record LoggedHook(
    String grant,
    int number,
    String name,
    String stage,
    List<String> hosts,
    int order,
    Optional<Integer> pre) {

  public LoggedHook {
    hosts = List.copyOf(hosts);
  }

  /** Whether it leads away from service. */
  boolean leadsAway() {
    return stage.equals("BeforeUndeploy") || stage.equals("AfterUndeploy");
  }

  /** Whether it has to be done before the other one of its stage. */
  boolean precedes(LoggedHook other) {
    return leadsAway() ? order < other.order : order > other.order;
  }

  /** As people read it. */
  String says() {
    return stage + " " + name;
  }
}
