package dev.drydock.impact.simulation;

import dev.drydock.impact.core.CanaryGate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Who goes first in each rollout and who waits for whom, as the policy format has it. */
final class OwnCanaries {
  private final List<Gate> gates = new ArrayList<>();
  private final Map<String, End> ends = new HashMap<>();

  /** How a host's part in a rollout ended. */
  private record End(Instant at, boolean well) {}

  /** What one policy asks of one rollout. */
  private static final class Gate {
    final String rollout;
    final CanaryGate made;
    final long soak;
    boolean passed;

    Gate(String rollout, CanaryGate made, long soak) {
      this.rollout = rollout;
      this.made = made;
      this.soak = soak;
    }
  }

  /**
   * A rollout was submitted, and these were chosen.
   *
   * @param on the policies on each host
   * @param zones the zone of each host
   * @param down hosts with something down: no zone has to have one of them go first
   * @return what is wrong with that
   */
  Optional<String> chosen(
      String rollout,
      Collection<List<String>> batches,
      List<CanaryGate> made,
      Map<String, Set<OwnPolicy>> on,
      Map<String, String> zones,
      Set<String> down) {
    Set<String> hosts = new HashSet<>();
    batches.forEach(hosts::addAll);
    // What goes first for another policy may share a zone.
    long asking =
        hosts.stream()
            .flatMap(host -> on.getOrDefault(host, Set.of()).stream())
            .filter(policy -> policy.canary.isPresent())
            .distinct()
            .count();
    boolean alone = hosts.size() == batches.size() && asking == 1;
    for (CanaryGate gate : made) {
      Set<String> subject = new HashSet<>();
      boolean spread = alone;
      long count = 0;
      long soak = 0;
      for (String host : hosts) {
        Set<OwnPolicy> here = on.getOrDefault(host, Set.of());
        if (here.stream().noneMatch(p -> p.name.equals(gate.policy()) && p.canary.isPresent())) {
          continue;
        }
        subject.add(host);
        for (OwnPolicy policy : here) {
          long[] asks = policy.canary.orElse(new long[2]);
          count = Math.max(count, asks[0]);
          soak = Math.max(soak, asks[1]);
          spread &= !policy.name.equals(gate.policy()) || !policy.limitsDomains();
        }
      }
      gates.add(new Gate(rollout, gate, soak));
      Set<String> all = new HashSet<>(gate.canaries());
      all.addAll(gate.waiting());
      long inZones =
          subject.stream().filter(host -> !down.contains(host)).map(zones::get).distinct().count();
      boolean apart =
          !spread
              || gate.canaries().stream().map(zones::get).distinct().count()
                  >= Math.min(count, inZones);
      if (!all.equals(subject) || gate.canaries().size() < count || !apart) {
        return Optional.of(
            "of %s %s go first and %s wait, but %s asks for %d"
                .formatted(subject, gate.canaries(), gate.waiting(), gate.policy(), count));
      }
    }
    return Optional.empty();
  }

  void ended(String rollout, String host, Instant at, boolean well) {
    ends.put(rollout + " " + host, new End(at, well));
  }

  /**
   * The others of a rollout may begin.
   *
   * @param down what is not up of the gate's applications on its canaries
   * @return why they may not
   */
  Optional<String> passes(String rollout, CanaryGate made, Instant now, List<String> down) {
    Gate gate =
        gates.stream()
            .filter(one -> one.rollout.equals(rollout) && one.made.policy().equals(made.policy()))
            .findFirst()
            .orElseThrow();
    gate.passed = true;
    for (String canary : gate.made.canaries()) {
      End end = ends.get(rollout + " " + canary);
      if (end == null || !end.well()) {
        return Optional.of(canary + " did not end well: " + end);
      }
      if (now.isBefore(end.at().plusSeconds(gate.soak))) {
        return Optional.of(canary + " soaks since " + end.at());
      }
    }
    return down.isEmpty() ? Optional.empty() : Optional.of(down + " are not up on canaries");
  }

  /** For whom these have to wait. */
  Optional<String> against(String rollout, Collection<String> hosts) {
    return gates.stream()
        .filter(gate -> gate.rollout.equals(rollout) && !gate.passed)
        .filter(gate -> hosts.stream().anyMatch(gate.made.waiting()::contains))
        .map(gate -> "waits for " + gate.made.canaries())
        .findFirst();
  }

  /** Whether these may hope: nothing they wait for went wrong or is still to be done. */
  boolean due(String rollout, Collection<String> hosts) {
    return gates.stream()
        .filter(gate -> gate.rollout.equals(rollout) && !gate.passed)
        .filter(gate -> hosts.stream().anyMatch(gate.made.waiting()::contains))
        .flatMap(gate -> gate.made.canaries().stream())
        .allMatch(
            canary -> {
              End end = ends.get(rollout + " " + canary);
              return end != null && end.well();
            });
  }
}
