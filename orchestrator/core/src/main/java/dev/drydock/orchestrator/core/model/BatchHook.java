package dev.drydock.orchestrator.core.model;

import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A hook of a batch, written down when the hosts of the batch were cordoned.
 *
 * @param number its place among the hooks of the batch, from 1
 * @param target an instance, a host or, of the scope Batch, the grant
 * @param hosts what it is about, including hosts that left the batch since
 * @param instances what of the policy's applications ran there
 * @param pre number of the pre hook whose effect it takes back
 */
public record BatchHook(
    int number,
    String name,
    Stage stage,
    Scope scope,
    String target,
    List<String> hosts,
    List<String> instances,
    int order,
    Source source,
    Map<String, String> params,
    Duration timeout,
    Optional<Integer> pre) {

  public BatchHook {
    hosts = List.copyOf(hosts);
    instances = List.copyOf(instances);
    params = Map.copyOf(params);
  }

  /** The policy that wants it. */
  public record Source(String policy, int version, String team) {}

  /** Such as {@code BeforeUndeploy: move-leaders}. */
  public String title() {
    return stage.word() + ": " + name;
  }

  /** Such as {@code BeforeUndeploy: move-leaders of host h3}. */
  public String says() {
    return title()
        + switch (scope) {
          case INSTANCE -> " of instance " + target;
          case HOST -> " of host " + target;
          case BATCH -> " of the batch";
        };
  }
}
