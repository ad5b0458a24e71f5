package dev.drydock.impact.simulation;

import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** One rollout or two over one fleet, from submission until nobody waits any more. */
final class Simulation {
  private static final double CALM_FROM_SECONDS = 900;
  private static final double LONGEST_SECONDS = 20_000;
  private static final double SAFETY_SECONDS = 10;
  private static final double LOOKS_SECONDS = 60;

  private final Agenda agenda;
  private final Verifier verifier;
  private final Rollouts rollouts;
  private final Controllers controllers;
  private final Grantor grantor;
  private final Chaos chaos;
  private boolean calm;
  private boolean over;

  Simulation(long seed, Bug bug) {
    // Neighbouring seeds of Random begin alike.
    Random random = new Random(new SplittableRandom(seed).nextLong());
    agenda = new Agenda(random);
    World world = new World(agenda);
    Scenario scenario = new Scenario(agenda, random, world);
    Store store = new Store(world);
    scenario.policies().forEach(store::apply);
    verifier = new Verifier(world, store);
    Inventory inventory = new Inventory(world, bug);
    Reporter reporter = new Reporter(agenda, world, inventory, verifier);
    rollouts = new Rollouts(agenda, world, store, reporter, verifier, bug);
    Clients clients = new Clients(agenda, world, store);
    controllers = new Controllers(agenda, verifier, scenario.mostDown(), bug);
    grantor = new Grantor(agenda, store, inventory, rollouts, clients, controllers, verifier, bug);
    chaos =
        new Chaos(
            agenda, random, world, store, clients, controllers, reporter, scenario, grantor::wake);
    rollouts.whenChanged(grantor::wake);
    clients.whenChanged(grantor::wake);
    controllers.whenChanged(grantor::wake);
    reporter.whenTaken(grantor::wake);
    scenario.rollouts().forEach(rollouts::submit);
  }

  /**
   * Runs it.
   *
   * @return how many grants and checks were judged
   * @throws Verifier.Broken when a promise was
   */
  int run() {
    chaos.begin();
    agenda.every(SAFETY_SECONDS, SAFETY_SECONDS, () -> true, grantor::wake);
    agenda.every(LOOKS_SECONDS, LOOKS_SECONDS, () -> true, () -> over = served());
    agenda.in(CALM_FROM_SECONDS, this::calm);
    agenda.run(LONGEST_SECONDS, () -> over);
    if (!served()) {
      throw new Verifier.Broken("SERVED", "%s could be taken, and never were".formatted(waiting()));
    }
    return verifier.judged();
  }

  private boolean served() {
    return rollouts.left().isEmpty() || (calm && waiting().isEmpty());
  }

  private void calm() {
    calm = true;
    chaos.calm();
    rollouts.calm();
    controllers.calm();
    grantor.calm();
  }

  /** Batches that have not come to their end, though their rules allow it. */
  private List<List<String>> waiting() {
    return rollouts.left().stream()
        .filter(hosts -> verifier.feasible(agenda.now(), hosts))
        .toList();
  }
}
