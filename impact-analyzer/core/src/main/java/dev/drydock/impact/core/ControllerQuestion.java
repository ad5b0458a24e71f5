package dev.drydock.impact.core;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a controller has to say before a request can be granted: may these go down together while
 * those others are down?
 *
 * @param group instances of the policy's applications that the request takes; all or none
 * @param presumedDown instances of these applications that are not up, for whatever reason; may
 *     name some of the group
 * @param begun whether a batch holds the hosts already: the last question before they are
 *     undeployed
 */
public record ControllerQuestion(
    Controller controller,
    List<FleetInstance> group,
    List<FleetInstance> presumedDown,
    boolean begun) {

  public ControllerQuestion {
    group = List.copyOf(group);
    presumedDown = List.copyOf(presumedDown);
  }

  public Set<String> groupIds() {
    return ids(group);
  }

  public Set<String> downIds() {
    return ids(presumedDown);
  }

  private static Set<String> ids(Collection<FleetInstance> instances) {
    return instances.stream().map(FleetInstance::id).collect(Collectors.toUnmodifiableSet());
  }
}
