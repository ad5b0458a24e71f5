package dev.drydock.impact.simulation;

import dev.drydock.lock.core.Brake;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Everything that goes wrong or changes while rollouts are under way, until it is calm. */
final class Chaos {
  private final Agenda agenda;
  private final Random random;
  private final SimulatedFleet simulatedFleet;
  private final Store store;
  private final Clients clients;
  private final Controllers controllers;
  private final Monitoring monitoring;
  private final Reporter reporter;
  private final Scenario scenario;
  private final Runnable changed;
  private boolean calm;

  Chaos(
      Agenda agenda,
      Random random,
      SimulatedFleet simulatedFleet,
      Store store,
      Clients clients,
      Controllers controllers,
      Monitoring monitoring,
      Reporter reporter,
      Scenario scenario,
      Runnable changed) {
    this.agenda = agenda;
    this.random = random;
    this.simulatedFleet = simulatedFleet;
    this.store = store;
    this.clients = clients;
    this.controllers = controllers;
    this.monitoring = monitoring;
    this.reporter = reporter;
    this.scenario = scenario;
    this.changed = changed;
  }

  void begin() {
    simulatedFleet.hosts().stream().map(host -> host.source).distinct().forEach(this::reports);
    during(
        5,
        40,
        () -> simulatedFleet.sick(agenda.oneOf(simulatedFleet.instances()), agenda.between(5, 60)));
    during(
        20,
        100,
        () -> {
          SimulatedFleet.Host to = agenda.oneOf(List.copyOf(simulatedFleet.hosts()));
          simulatedFleet.move(agenda.oneOf(simulatedFleet.instances()), to);
        });
    during(
        5,
        40,
        () -> {
          SimulatedFleet.Running one = agenda.oneOf(simulatedFleet.instances());
          controllers.changesItsMind(one.application, one.id);
        });
    during(15, 90, monitoring::falls);
    during(10, 60, this::maintenance);
    during(60, 400, this::policyCloses);
    during(200, 900, this::freeze);
  }

  /** Sources go on when it is calm, but then none falls silent. */
  private void reports(String source) {
    double pause = !calm && agenda.chance(0.03) ? agenda.between(20, 60) : agenda.between(8, 12);
    reporter.send(source);
    agenda.in(pause, () -> reports(source));
  }

  private void during(double least, double most, Runnable what) {
    agenda.every(
        least,
        most,
        () -> !calm,
        () -> {
          what.run();
          changed.run();
        });
  }

  private void maintenance() {
    List<String> hosts = new ArrayList<>(scenario.hosts());
    Collections.shuffle(hosts, random);
    clients.comes(hosts.subList(0, agenda.whole(1, 3)).stream().sorted().toList());
  }

  private void policyCloses() {
    Map.Entry<String, String> policy = agenda.oneOf(List.copyOf(scenario.policies().entrySet()));
    store.apply(policy.getKey(), Scenario.closed(policy.getValue()));
    agenda.in(
        agenda.between(10, 120),
        () -> {
          store.apply(policy.getKey(), policy.getValue());
          changed.run();
        });
  }

  private void freeze() {
    store.brake(Optional.of(new Brake("somebody", "an incident", agenda.now())));
    agenda.in(
        agenda.between(5, 60),
        () -> {
          store.brake(Optional.empty());
          changed.run();
        });
  }

  void calm() {
    calm = true;
  }
}
