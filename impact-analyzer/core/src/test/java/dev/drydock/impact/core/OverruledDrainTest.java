package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.LateDrain.Way;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a policy would say in vain. */
class OverruledDrainTest {
  private final Map<String, Policy> inForce = new HashMap<>();
  private final Map<Set<String>, Integer> hosts =
      new HashMap<>(Map.of(Set.of("search"), 7, Set.of("search", "web"), 3));

  private static Policy policy(String name, int seconds, Way way) {
    return new Policy(
        name,
        1,
        "team",
        List.of(name),
        List.of(new MinAvailable(0)),
        new DesiredInstances.FromScheduler(),
        Policy.DEFAULT_HEALTH_AGE_MAX,
        Duration.ofSeconds(seconds),
        new LateDrain(way, LateDrain.DEFAULT_REMIND, LateDrain.DEFAULT_EXPIRES),
        false,
        Optional.empty());
  }

  private List<String> warnings(Policy wanted) {
    return OverruledDrain.of(wanted, new Policies(inForce, Map.of()), hosts).stream()
        .map(warning -> warning.field() + " " + warning.says())
        .toList();
  }

  @Test
  void saysOnHowManyHostsWhoseTimeoutAndWayHold() {
    inForce.put("web", policy("web", 300, Way.ASK));
    hosts.put(Set.of("search", "web", "ads"), 1);
    assertThat(warnings(policy("search", 4, Way.REQUEUE)))
        .containsExactly(
            "drain.timeout 4s of policy search has no effect on 4 hosts: there it is 5m (policy web)",
            "drain.onTimeout Requeue of policy search has no effect on 4 hosts: there it is Ask"
                + " (policy web)");
  }

  /** The control: the longer and more careful policy, and one that says the same, hold. */
  @Test
  void whatHoldsIsNotWarnedOf() {
    inForce.put("web", policy("web", 300, Way.ASK));
    assertThat(warnings(policy("search", 600, Way.QUARANTINE))).isEmpty();
    assertThat(warnings(policy("search", 300, Way.ASK))).isEmpty();
    hosts.remove(Set.of("search", "web"));
    assertThat(warnings(policy("search", 4, Way.FORCE))).as("nobody else is there").isEmpty();
  }

  @Test
  void theVersionThatIsInForceNowOverrulesNothing() {
    inForce.put("search", policy("search", 900, Way.QUARANTINE));
    inForce.put("web", policy("web", 2, Way.FORCE));
    assertThat(warnings(policy("search", 4, Way.REQUEUE))).isEmpty();
  }

  @Test
  void anApplicationWithoutAPolicyHasTheDefault() {
    assertThat(warnings(policy("search", 4, Way.FORCE)))
        .containsExactly(
            "drain.timeout 4s of policy search has no effect on 3 hosts: there it is 5m (the default)",
            "drain.onTimeout Force of policy search has no effect on 3 hosts: there it is brought"
                + " back (nobody says onTimeout)");
  }
}
