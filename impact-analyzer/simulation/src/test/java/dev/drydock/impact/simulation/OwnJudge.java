package dev.drydock.impact.simulation;

import dev.drydock.impact.core.Health;
import dev.drydock.impact.simulation.OwnPolicy.Moment;
import dev.drydock.impact.simulation.OwnPolicy.Objection;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Says what is up and what speaks against taking hosts, by its own reading of all there is. */
final class OwnJudge {
  private static final double REPORT_AGE_MAX_SECONDS = 30;

  private final SimulatedFleet simulatedFleet;
  private final Store store;
  private final Map<String, OwnPolicy> parsed = new HashMap<>();

  OwnJudge(SimulatedFleet simulatedFleet, Store store) {
    this.simulatedFleet = simulatedFleet;
    this.store = store;
  }

  /**
   * Hosts to be taken while others are down.
   *
   * @param counts hosts that count as up whatever was seen of them
   * @param anyEffect whether hosts nobody saw since the last work count as up as well
   */
  record Taking(
      Collection<String> hosts,
      Set<String> down,
      Predicate<String> counts,
      boolean anyEffect,
      Asking asking) {
    boolean held(String host) {
      return down.contains(host) || counts.test(host);
    }
  }

  /** What of controllers counts. */
  enum Asking {
    NOW,
    /** Only that they said no. */
    ONCE_OTHERS_END,
    /** They may approve some day. */
    EVER
  }

  /** These, while all those are held. */
  static Taking taking(Set<String> held, Collection<String> hosts) {
    return new Taking(hosts, Set.copyOf(held), host -> false, false, Asking.NOW);
  }

  private static Optional<String> controller(
      KnownState knownState,
      Taking taking,
      String topic,
      List<OwnPolicy.One> instances,
      boolean begun) {
    ControllerAnswers said =
        knownState.heard().getOrDefault(topic, new ControllerAnswers(List.of()));
    Set<String> taken =
        instances.stream()
            .filter(OwnPolicy.One::taken)
            .map(OwnPolicy.One::id)
            .collect(Collectors.toSet());
    Set<String> down =
        instances.stream()
            .filter(one -> !one.up())
            .map(OwnPolicy.One::id)
            .collect(Collectors.toSet());
    return switch (taking.asking()) {
      case NOW -> said.against(taken, down, knownState.at(), begun);
      case ONCE_OTHERS_END ->
          said.no(taken, knownState.at())
              ? Optional.of("the controller said no")
              : Optional.empty();
      case EVER -> Optional.empty();
    };
  }

  /** The first thing said against it. */
  Optional<String> against(
      KnownState knownState, Map<String, EndedLock> ended, Taking taking, Moment moment) {
    return objections(knownState, ended, taking, moment).stream().map(Objection::why).findFirst();
  }

  /** All that is said against it. */
  List<Objection> objections(
      KnownState knownState, Map<String, EndedLock> ended, Taking taking, Moment moment) {
    for (String host : taking.hosts()) {
      Report report = knownState.newest().get(simulatedFleet.host(host).source);
      if (report == null || age(report, knownState.at()) > REPORT_AGE_MAX_SECONDS) {
        return List.of(new Objection("view", "nobody knows what runs on " + host));
      }
    }
    List<Objection> objections = new ArrayList<>();
    Map<String, OwnPolicy> policies = policies();
    instances(knownState, ended, taking)
        .forEach(
            (application, all) -> {
              OwnPolicy policy = policies.get(application);
              if (all.stream().noneMatch(OwnPolicy.One::taken)) {
                return;
              }
              if (policy == null) {
                objections.add(new Objection("policy", application + " has no policy"));
                return;
              }
              List<Objection> some =
                  policy.against(all, knownState.samples(), knownState.at(), moment);
              some.forEach(
                  one -> objections.add(new Objection(one.rule(), application + ": " + one.why())));
              policy
                  .controller
                  .flatMap(
                      topic -> controller(knownState, taking, topic, all, moment == Moment.BEGUN))
                  .ifPresent(
                      why -> objections.add(new Objection("controller", application + ": " + why)));
            });
    return objections;
  }

  /** By application. */
  Map<String, List<OwnPolicy.One>> instances(
      KnownState knownState, Map<String, EndedLock> ended, Taking taking) {
    Map<String, List<OwnPolicy.One>> instances = new TreeMap<>();
    Map<String, OwnPolicy> policies = policies();
    Set<OwnHistory.Begun> begun = OwnHistory.begun(knownState);
    for (Report report : knownState.newest().values()) {
      boolean fresh = age(report, knownState.at()) <= REPORT_AGE_MAX_SECONDS;
      for (Report.Seen seen : report.instances()) {
        OwnPolicy policy = policies.get(seen.application());
        boolean taken = taking.hosts().contains(seen.host());
        long effect =
            Math.max(
                simulatedFleet.host(seen.host()).effect,
                ended.containsKey(seen.host()) ? ended.get(seen.host()).mark() : 0);
        boolean observed = report.mark() >= effect;
        boolean believed =
            observed
                && fresh
                && policy != null
                && age(report, knownState.at()) <= policy.healthAgeMax;
        boolean presumed = taking.counts().test(seen.host()) || (taking.anyEffect() && !observed);
        boolean well = believed && seen.health() == Health.HEALTHY;
        boolean up = !taking.down().contains(seen.host()) && (presumed || well);
        boolean down = believed && seen.health() == Health.UNHEALTHY;
        LockRecord lock = knownState.table().locks().get(seen.host());
        boolean inBatch = lock != null && lock.kind() == LockRecord.Kind.BATCH;
        boolean pending =
            taking.held(seen.host())
                && !begun.contains(new OwnHistory.Begun(seen.application(), seen.host()))
                && !(inBatch && down);
        Optional<OwnHistory.Past> past = Optional.ofNullable(knownState.past().get(seen.id()));
        instances
            .computeIfAbsent(seen.application(), _ -> new ArrayList<>())
            .add(
                new OwnPolicy.One(
                    seen.id(),
                    seen.host(),
                    seen.zone(),
                    simulatedFleet.host(seen.host()).rack,
                    seen.capacity(),
                    up,
                    taken,
                    down,
                    pending,
                    past.map(OwnHistory.Past::at),
                    past.filter(one -> one.goesOn(knownState.table()))
                        .filter(one -> taking.hosts().contains(one.host()))
                        .isPresent()));
      }
    }
    return instances;
  }

  /** Those in force, by application. */
  Map<String, OwnPolicy> policies() {
    Map<String, OwnPolicy> policies = new HashMap<>();
    for (String text : store.policies().values()) {
      OwnPolicy policy = parsed.computeIfAbsent(text, OwnPolicy::new);
      policy.applications.forEach(application -> policies.put(application, policy));
    }
    return policies;
  }

  private static double age(Report report, Instant now) {
    return Duration.between(report.at(), now).toMillis() / 1000.0;
  }
}
