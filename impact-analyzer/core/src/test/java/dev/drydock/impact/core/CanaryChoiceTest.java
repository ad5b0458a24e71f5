package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who of a rollout goes first. */
class CanaryChoiceTest {
  private static final Instant NOW = Instant.parse("2026-06-01T09:00:00Z");
  private static final Rule CAPACITY = new MaxUnavailable(new Amount.Count(1));
  private static final Rule ZONES = new MaxDomainsInFlight(new Domain.Zone(), 1);

  private final List<FleetHost> hosts = new ArrayList<>();
  private final List<FleetInstance> instances = new ArrayList<>();
  private final Map<String, Policy> policies = new HashMap<>();

  @Test
  void theFirstHostsOfThePlanGoFirstAndTheOthersOfThePolicyWait() {
    policy("web", 2, 30, CAPACITY);
    policy("ads", 0, 0, CAPACITY);
    host("h1", "z1", "web");
    host("h2", "z1", "web");
    host("h3", "z1", "web");
    host("h4", "z1", "ads");
    CanaryGate gate = gates(List.of("h3"), List.of("h4"), List.of("h1"), List.of("h2")).getFirst();
    assertThat(gate.canaries()).containsExactly("h3", "h1");
    assertThat(gate.waiting()).as("where it applies").containsExactly("h2");
    assertThat(gate.canary()).isEqualTo(new Canary(2, Duration.ofMinutes(30)));
    assertThat(gate.applications()).containsExactly("web");
  }

  @Test
  void theyAreSpreadOverFaultZonesUnlessOneWouldWaitForTheOther() {
    host("h1", "z1", "web");
    host("h2", "z1", "web");
    host("h3", "z2", "web");
    List<List<String>> batches = List.of(List.of("h1"), List.of("h2"), List.of("h3"));
    policy("web", 2, 30, CAPACITY);
    assertThat(gates(batches).getFirst().canaries()).containsExactly("h1", "h3");
    policy("web", 2, 30, CAPACITY, ZONES);
    assertThat(gates(batches).getFirst().canaries()).containsExactly("h1", "h2");
  }

  @Test
  void ofTeamsThatMeetOnAHostTheMostCautiousOfEachNumberHolds() {
    policy("web", 2, 30, CAPACITY);
    policy("ads", 1, 60, CAPACITY);
    host("h1", "z1", "web", "ads");
    host("h2", "z1", "web");
    host("h3", "z1", "web");
    host("h4", "z1", "ads");
    host("h5", "z1", "ads");
    List<CanaryGate> gates =
        gates(List.of("h1"), List.of("h2"), List.of("h3"), List.of("h4"), List.of("h5"));
    assertThat(gates).extracting(CanaryGate::policy).containsExactly("ads", "web");
    assertThat(gates)
        .extracting(CanaryGate::canary)
        .containsOnly(new Canary(2, Duration.ofMinutes(60)));
    assertThat(gates.getFirst().canaries()).containsExactly("h1", "h4");
    assertThat(gates.getLast().canaries()).containsExactly("h1", "h2");
  }

  /** Else two gates could wait for each other's canaries. */
  @Test
  void whoGoesFirstIsACanaryOfEveryPolicyOnItAndWaitsForNone() {
    policy("web", 1, 30, CAPACITY);
    policy("ads", 1, 30, CAPACITY);
    host("h1", "z1", "web", "ads");
    host("h2", "z1", "ads", "web");
    List<CanaryGate> gates = gates(List.of("h1", "h2"), List.of());
    assertThat(gates).as("nobody waits: no gate").isEmpty();
    host("h3", "z1", "ads");
    gates = gates(List.of("h1", "h2"), List.of("h3"));
    assertThat(gates.getFirst().canaries()).as("a batch goes as one").containsExactly("h1", "h2");
    assertThat(gates.getFirst().waiting()).containsExactly("h3");
  }

  @Test
  void withoutSuchAPolicyNobodyWaits() {
    policy("web", 0, 0, CAPACITY);
    host("h1", "z1", "web");
    host("h2", "z1", "web");
    assertThat(gates(List.of("h1"), List.of("h2"))).isEmpty();
  }

  @Test
  void aHostWithSomethingDownIsNoCanaryWhereOthersAreEnough() {
    policy("web", 1, 30, CAPACITY);
    host("h1", "z1", "web");
    host("h2", "z1", "web");
    host("h3", "z1", "web");
    List<List<String>> batches = List.of(List.of("h1"), List.of("h2"), List.of("h3"));
    assertThat(gates(batches).getFirst().canaries()).as("the control").containsExactly("h1");
    down("h1");
    assertThat(gates(batches).getFirst().canaries()).containsExactly("h2");
    policy("web", 1, 30, CAPACITY, ZONES);
    assertThat(gates(batches).getFirst().canaries()).containsExactly("h2");
    down("h2");
    down("h3");
    assertThat(gates(batches).getFirst().canaries()).as("some gate").containsExactly("h1");
  }

  private void down(String host) {
    instances.replaceAll(
        it ->
            it.host().equals(host)
                ? new FleetInstance(it.id(), "web", host, "z1", 1, Health.UNHEALTHY, 1, NOW, false)
                : it);
  }

  @SafeVarargs
  private List<CanaryGate> gates(List<String>... batches) {
    return gates(List.of(batches));
  }

  private List<CanaryGate> gates(List<List<String>> batches) {
    Fleet fleet = new Fleet(NOW, Duration.ofMinutes(1), Map.of(), hosts, instances, List.of());
    return CanaryChoice.of(fleet, new Policies(policies, Map.of()), batches);
  }

  private void host(String host, String zone, String... applications) {
    hosts.add(new FleetHost(host, "static", false, 0, Map.of(), false));
    for (String application : applications) {
      instances.add(
          new FleetInstance(
              application + "@" + host, application, host, zone, 1, Health.HEALTHY, 1, NOW, false));
    }
  }

  /** No canaries where {@code canaries} is 0. */
  private void policy(String name, int canaries, int soakMinutes, Rule... rules) {
    Optional<Canary> canary =
        canaries == 0
            ? Optional.empty()
            : Optional.of(new Canary(canaries, Duration.ofMinutes(soakMinutes)));
    policies.put(
        name,
        new Policy(
            name,
            1,
            "team",
            List.of(name),
            List.of(rules),
            new DesiredInstances.FromScheduler(),
            Duration.ofMinutes(1),
            Duration.ofMinutes(5),
            LateDrain.UNSAID,
            false,
            canary));
  }
}
