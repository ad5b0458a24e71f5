package dev.drydock.orchestrator.api;

import com.linkedin.data.template.IntegerMap;
import com.linkedin.data.template.StringArray;
import com.linkedin.data.template.StringArrayMap;
import com.linkedin.data.template.StringMap;
import dev.drydock.api.PlanHosts;
import dev.drydock.api.PlanHostsArray;
import dev.drydock.api.PlanStep;
import dev.drydock.api.PlanStepArray;
import dev.drydock.api.PlanTimeline;
import dev.drydock.api.PlanTimelineArray;
import dev.drydock.api.RolloutCanaries;
import dev.drydock.api.RolloutCanariesArray;
import dev.drydock.api.RolloutPlan;
import dev.drydock.orchestrator.intake.PlanFacts;
import dev.drydock.orchestrator.intake.Planning.Outlook;
import dev.drydock.orchestrator.intake.Planning.Planned;
import dev.drydock.orchestrator.intake.Planning.Step;
import dev.drydock.orchestrator.intake.Planning.Timeline;
import dev.drydock.orchestrator.store.CanaryGates.Gate;
import dev.drydock.proto.client.WireCollections;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A plan in the words of the wire, and what comes back of it. */
final class PlanRecords {
  private PlanRecords() {}

  static RolloutPlan plan(String release, Planned planned) {
    Outlook outlook = planned.outlook();
    return new RolloutPlan()
        .setRelease(release)
        .setAt(System.currentTimeMillis())
        .setRevision(revision(planned.revision()))
        .setSteps(new PlanStepArray(outlook.steps().stream().map(PlanRecords::step).toList()))
        .setWaiting(
            new PlanHostsArray(
                outlook.waiting().stream()
                    .map(waiting -> hosts(waiting.hosts(), List.of(waiting.reason())))
                    .toList()))
        .setInfeasible(infeasible(planned.infeasible()))
        .setMakespanMillis(outlook.makespanMillis())
        .setBoundMillis(outlook.boundMillis())
        .setBoundFormula(outlook.formula())
        .setGap(
            outlook.boundMillis() == 0
                ? 0
                : (double) outlook.makespanMillis() / outlook.boundMillis() - 1)
        .setApplications(
            new PlanTimelineArray(
                outlook.applications().stream().map(PlanRecords::timeline).toList()))
        .setAssumed(WireCollections.strings(outlook.assumed()))
        .setWindows(new StringMap(outlook.windows()))
        .setDrains(new IntegerMap(outlook.drains()))
        .setDurations(new IntegerMap(outlook.durations()))
        .setCanaries(
            new RolloutCanariesArray(
                planned.canaries().stream().map(PlanRecords::canaries).toList()));
  }

  /** What somebody names that starts a plan; a digest alone has no parts. */
  static PlanFacts.Named named(dev.drydock.api.PlanRevision sent) {
    Map<String, List<String>> placement = new HashMap<>();
    sent.getPlacement().forEach((host, instances) -> placement.put(host, List.copyOf(instances)));
    return new PlanFacts.Named(
        sent.getDigest(),
        sent.hasPlacement()
            ? Optional.of(new PlanFacts(sent.getPolicies(), placement))
            : Optional.empty());
  }

  private static dev.drydock.api.PlanRevision revision(PlanFacts revision) {
    StringArrayMap placement = new StringArrayMap();
    revision
        .placement()
        .forEach((host, instances) -> placement.put(host, new StringArray(instances)));
    return new dev.drydock.api.PlanRevision()
        .setDigest(revision.digest())
        .setPolicies(new IntegerMap(revision.policies()))
        .setPlacement(placement);
  }

  private static PlanStep step(Step step) {
    return new PlanStep()
        .setHosts(WireCollections.strings(step.hosts()))
        .setBeginMillis(step.beginMillis())
        .setEndMillis(step.endMillis());
  }

  /** Hosts with the same reasons are told of together. */
  private static PlanHostsArray infeasible(Map<String, List<String>> reasons) {
    Map<List<String>, List<String>> alike = new HashMap<>();
    List<PlanHosts> all = new ArrayList<>();
    new TreeMap<>(reasons)
        .forEach((host, why) -> alike.computeIfAbsent(why, _ -> new ArrayList<>()).add(host));
    alike.forEach((why, hosts) -> all.add(hosts(hosts, why)));
    all.sort((a, b) -> a.getHosts().getFirst().compareTo(b.getHosts().getFirst()));
    return new PlanHostsArray(all);
  }

  private static PlanHosts hosts(Collection<String> hosts, List<String> reasons) {
    return new PlanHosts()
        .setHosts(WireCollections.strings(List.copyOf(hosts)))
        .setReasons(WireCollections.strings(reasons));
  }

  private static PlanTimeline timeline(Timeline line) {
    PlanTimeline timeline =
        new PlanTimeline()
            .setApplication(line.application())
            .setInstances(line.instances())
            .setBeginMillis(line.beginMillis())
            .setEndMillis(line.endMillis())
            .setDownMost(line.downMost());
    return line.downAllowed() < 0 ? timeline : timeline.setDownAllowed(line.downAllowed());
  }

  private static RolloutCanaries canaries(Gate gate) {
    return new RolloutCanaries()
        .setPolicy(gate.policy())
        .setVersion(gate.version())
        .setHosts(WireCollections.strings(gate.canaries()))
        .setSoakSeconds(gate.soakSeconds());
  }
}
