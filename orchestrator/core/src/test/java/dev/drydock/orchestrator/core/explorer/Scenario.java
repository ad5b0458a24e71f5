package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.core.PolicyHook;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a batch is, and what may go wrong how often.
 *
 * @param seemDone how many of its hosts seem to be on the release already
 * @param way what becomes of hosts that are not drained in time
 * @param hooks what a team runs around the work
 * @param faults how often each thing may go wrong
 * @param total how many things may go wrong in all
 * @param coarse whether a job ends with its claim: nothing happens between
 */
record Scenario(
    String name,
    int hosts,
    int seemDone,
    OnHostFailure onHostFailure,
    Way way,
    Ladder ladder,
    List<PolicyHook> hooks,
    Map<Fault, Integer> faults,
    int total,
    boolean coarse) {

  Scenario {
    hooks = List.copyOf(hooks);
    faults = Map.copyOf(faults);
  }

  static Scenario of(String name, int hosts) {
    return new Scenario(
        name,
        hosts,
        0,
        OnHostFailure.ABORT,
        Way.REVERT,
        Ladder.NONE,
        List.of(),
        Map.of(),
        0,
        false);
  }

  Scenario seeming(int many) {
    return new Scenario(
        name, hosts, many, onHostFailure, way, ladder, hooks, faults, total, coarse);
  }

  Scenario onFailure(OnHostFailure what) {
    return new Scenario(name, hosts, seemDone, what, way, ladder, hooks, faults, total, coarse);
  }

  Scenario late(Way what) {
    return new Scenario(
        name, hosts, seemDone, onHostFailure, what, ladder, hooks, faults, total, coarse);
  }

  Scenario climbing(Set<Ladder.Rung> approve, Ladder.Rung... rungs) {
    Ladder climbed = new Ladder(List.of(rungs), approve);
    return new Scenario(
        name, hosts, seemDone, onHostFailure, way, climbed, hooks, faults, total, coarse);
  }

  Scenario hooked(PolicyHook... wanted) {
    return new Scenario(
        name, hosts, seemDone, onHostFailure, way, ladder, List.of(wanted), faults, total, coarse);
  }

  /** With these once more each. */
  Scenario with(Fault... more) {
    Map<Fault, Integer> all = new EnumMap<>(Fault.class);
    all.putAll(faults);
    Arrays.stream(more).forEach(fault -> all.merge(fault, 1, Integer::sum));
    return new Scenario(
        name, hosts, seemDone, onHostFailure, way, ladder, hooks, all, total, coarse);
  }

  Scenario upTo(int most) {
    return new Scenario(
        name, hosts, seemDone, onHostFailure, way, ladder, hooks, faults, most, coarse);
  }

  Scenario coarsely() {
    return new Scenario(
        name, hosts, seemDone, onHostFailure, way, ladder, hooks, faults, total, true);
  }

  @Override
  public String toString() {
    return name;
  }
}
