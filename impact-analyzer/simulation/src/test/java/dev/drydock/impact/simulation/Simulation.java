package dev.drydock.impact.simulation;

import dev.drydock.impact.core.Gate;
import dev.drydock.lock.core.Candidates.Candidate;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** Some rollouts over one fleet, from submission until nobody waits any more. */
final class Simulation {
  private static final double CALM_FROM_SECONDS = 900;
  private static final double LONGEST_SECONDS = 25_000;
  private static final double SAFETY_SECONDS = 10;

  /** Passes are what a run costs, and most of its time is calm. */
  private static final double CALM_SAFETY_SECONDS = 30;

  private static final double LOOKS_SECONDS = 60;

  private final Agenda agenda;
  private final Verifier verifier;
  private final Rollouts rollouts;
  private final Controllers controllers;
  private final Monitoring monitoring;
  private final Grantor grantor;
  private final Chaos chaos;
  private int toCome;
  private boolean calm;
  private boolean over;

  Simulation(long seed, Bug bug) {
    // Neighbouring seeds of Random begin alike.
    Random random = new Random(new SplittableRandom(seed).nextLong());
    Season season = Season.draw(random);
    agenda = new Agenda(random, season.begin());
    SimulatedFleet simulatedFleet = new SimulatedFleet(agenda);
    Scenario scenario = new Scenario(agenda, random, simulatedFleet, season);
    Store store = new Store(simulatedFleet);
    scenario.policies().forEach(store::apply);
    verifier = new Verifier(agenda, simulatedFleet, store, bug);
    Inventory inventory = new Inventory(simulatedFleet, bug);
    Reporter reporter = new Reporter(agenda, simulatedFleet, inventory, verifier);
    controllers = new Controllers(agenda, verifier, scenario.mostDown(), bug);
    monitoring = new Monitoring(agenda, verifier, bug);
    History history = new History(agenda, inventory, bug);
    Analyzer analyzer =
        new Analyzer(agenda, store, inventory, controllers, monitoring, history, bug);
    Canaries canaries = new Canaries(agenda, store, analyzer, verifier, bug);
    rollouts = new Rollouts(agenda, simulatedFleet, store, reporter, canaries, verifier, bug);
    Clients clients = new Clients(agenda, simulatedFleet, store, bug);
    grantor =
        new Grantor(
            agenda, store, analyzer, history, rollouts, clients, controllers, verifier, bug);
    chaos =
        new Chaos(
            agenda,
            random,
            simulatedFleet,
            store,
            clients,
            controllers,
            monitoring,
            reporter,
            scenario,
            grantor::wake);
    rollouts.whenChanged(grantor::wake);
    clients.whenChanged(grantor::wake);
    controllers.whenChanged(grantor::wake);
    reporter.whenChanged(grantor::wake);
    canaries.whenPassed(grantor::wake);
    simulatedFleet.hosts().stream().map(host -> host.source).distinct().forEach(reporter::now);
    monitoring.begin(
        analyzer.policies().byApplication().values().stream()
            .flatMap(policy -> policy.rules().stream())
            .filter(Gate.class::isInstance)
            .map(Gate.class::cast)
            .toList());
    scenario.rollouts().forEach(this::comes);
  }

  private void comes(Scenario.Rollout rollout) {
    toCome++;
    agenda.in(
        rollout.inSeconds(),
        () -> {
          toCome--;
          rollouts.submit(rollout);
        });
  }

  /**
   * Runs it.
   *
   * @return who watched, and judged what happened
   * @throws Verifier.Broken when a promise was
   */
  Verifier run() {
    chaos.begin();
    agenda.every(SAFETY_SECONDS, SAFETY_SECONDS, () -> !calm, grantor::wake);
    agenda.every(CALM_SAFETY_SECONDS, CALM_SAFETY_SECONDS, () -> true, grantor::wake);
    agenda.every(LOOKS_SECONDS, LOOKS_SECONDS, () -> true, () -> over = served());
    agenda.in(CALM_FROM_SECONDS, this::calm);
    agenda.run(LONGEST_SECONDS, () -> over);
    if (!served()) {
      verifier.broken("SERVED", "%s could be taken, and never were".formatted(waiting()));
    }
    return verifier;
  }

  private boolean served() {
    return toCome == 0 && (rollouts.left().isEmpty() || (calm && waiting().isEmpty()));
  }

  private void calm() {
    calm = true;
    chaos.calm();
    rollouts.calm();
    controllers.calm();
    monitoring.calm();
    grantor.calm();
  }

  /** Batches that have not come to their end, though their rules allow it. */
  private List<List<String>> waiting() {
    return rollouts.left().stream()
        .filter(batch -> verifier.feasible(agenda.now(), batch))
        .map(Candidate::hosts)
        .toList();
  }
}
