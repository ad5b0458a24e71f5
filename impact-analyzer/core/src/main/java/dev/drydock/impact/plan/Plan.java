package dev.drydock.impact.plan;

import java.util.List;
import java.util.Optional;

/**
 * In which order hosts are taken, when each is expected to begin and end, and how good that is.
 *
 * @param steps what goes together, in the order it begins
 * @param waiting what cannot begin as things are: for as long as something is down, should exist
 *     and is not allocated, or is not told
 * @param infeasible what can never be taken as things are configured, whatever comes up
 * @param makespanMillis when the last step ends, from the beginning
 * @param bound before which no plan can end
 * @param applications what each application goes through, those that end last first
 * @param assumed rules that no plan can foresee; it takes them to allow
 * @param checks how often it was asked whether a host fits
 */
public record Plan(
    List<Step> steps,
    List<Waiting> waiting,
    List<Infeasible> infeasible,
    long makespanMillis,
    Bound bound,
    List<Timeline> applications,
    List<String> assumed,
    long checks) {
  public Plan {
    steps = List.copyOf(steps);
    waiting = List.copyOf(waiting);
    infeasible = List.copyOf(infeasible);
    applications = List.copyOf(applications);
    assumed = List.copyOf(assumed);
  }

  /**
   * A host, or hosts that go together.
   *
   * @param beginMillis from the beginning of the plan; so is the end
   */
  public record Step(String rollout, List<String> hosts, long beginMillis, long endMillis) {}

  /** Hosts that cannot begin as things are, and why. */
  public record Waiting(String rollout, List<String> hosts, String reason) {}

  /**
   * What an application goes through.
   *
   * @param downMost of its instances at one time, by plan
   * @param downAllowed empty when no rule says
   */
  public record Timeline(
      String application,
      int instances,
      long beginMillis,
      long endMillis,
      int downMost,
      Optional<Integer> downAllowed) {}

  /**
   * By how much it is longer than the bound; 0 when it cannot be shorter. Where hosts cannot begin
   * it says nothing, as the bound counts them too.
   */
  public double gap() {
    return bound.millis() == 0 ? 0 : Math.max(0, (double) makespanMillis / bound.millis() - 1);
  }
}
