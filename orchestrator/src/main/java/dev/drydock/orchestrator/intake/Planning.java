package dev.drydock.orchestrator.intake;

import dev.drydock.orchestrator.store.CanaryGates.Gate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Plans the hosts of a submission, by one reading of the fleet. */
@FunctionalInterface
public interface Planning {

  /**
   * What is planned.
   *
   * @param batches every host in one of them, taken together or not at all, in the order in which
   *     to take them
   * @param infeasible by host, why rules could never let it go, or no grant takes its batch; hosts
   *     that may be granted some time are left out
   * @param canaries who goes first
   * @param revision of the facts it was made by
   * @param outlook what is expected
   */
  record Planned(
      List<List<String>> batches,
      Map<String, List<String>> infeasible,
      List<Gate> canaries,
      PlanFacts revision,
      Outlook outlook) {
    public Planned {
      batches = batches.stream().map(List::copyOf).toList();
      infeasible = Map.copyOf(infeasible);
      canaries = List.copyOf(canaries);
    }

    /** Batches alone. */
    public Planned(List<List<String>> batches, Map<String, List<String>> infeasible) {
      this(batches, infeasible, List.of(), PlanFacts.NONE, Outlook.NONE);
    }
  }

  /**
   * When hosts are expected to begin and end, in milliseconds from the beginning.
   *
   * @param waiting what cannot begin as things are
   * @param boundMillis no plan is shorter
   * @param formula how the bound comes about
   * @param assumed rules that cannot be foreseen, taken to allow
   * @param windows windows and blackouts by policy
   * @param drains what holds of draining the hosts, in words, with the number of hosts
   * @param durations how long work on hosts is reckoned to take, and why, with the number of hosts
   */
  record Outlook(
      List<Step> steps,
      List<Waiting> waiting,
      long makespanMillis,
      long boundMillis,
      String formula,
      List<Timeline> applications,
      List<String> assumed,
      Map<String, String> windows,
      Map<String, Integer> drains,
      Map<String, Integer> durations) {
    static final Outlook NONE =
        new Outlook(
            List.of(), List.of(), 0, 0, "", List.of(), List.of(), Map.of(), Map.of(), Map.of());
  }

  /** Hosts that go together. */
  record Step(List<String> hosts, long beginMillis, long endMillis) {}

  /** Hosts that cannot begin as things are, and why. */
  record Waiting(List<String> hosts, String reason) {}

  /**
   * What an application goes through.
   *
   * @param downAllowed negative when no rule says
   */
  record Timeline(
      String application,
      int instances,
      long beginMillis,
      long endMillis,
      int downMost,
      int downAllowed) {}

  /** Of hosts that are known, each named once, to a release. */
  Planned plan(Collection<String> hosts, String release);

  /** One host each, as they come, and nothing stands against any. */
  static Planned alone(Collection<String> hosts, String release) {
    return alone(hosts);
  }

  /** The same, whatever the release. */
  static Planned alone(Collection<String> hosts) {
    return new Planned(hosts.stream().map(List::of).collect(Collectors.toList()), Map.of());
  }
}
