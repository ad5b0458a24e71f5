package dev.drydock.impact.simulation;

import dev.drydock.impact.core.Health;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Hosts and instances as they are, whoever knows it. */
final class SimulatedFleet {
  private static final double UNREADABLE = 0.01;

  private final Agenda agenda;
  private final Map<String, Host> hosts = new LinkedHashMap<>();
  private final Map<String, Running> instances = new LinkedHashMap<>();
  private long marks;

  SimulatedFleet(Agenda agenda) {
    this.agenda = agenda;
  }

  /** A host; it is down while somebody works on it. */
  static final class Host {
    final String name;
    final String source;
    final String zone;

    /** Its label; nobody may have set it yet. */
    Optional<String> rack;

    final Set<String> workers = new HashSet<>();
    boolean cordoned;

    /** Mark of the last effect Drydock had on it. */
    long effect;

    Host(String name, String source, String zone, Optional<String> rack) {
      this.name = name;
      this.source = source;
      this.zone = zone;
      this.rack = rack;
    }
  }

  /** An instance that its scheduler allocates. */
  static final class Running {
    final String id;
    final String application;
    final int capacity;
    Host host;
    Instant sickUntil = Instant.MIN;

    Running(String id, String application, int capacity, Host host) {
      this.id = id;
      this.application = application;
      this.capacity = capacity;
      this.host = host;
    }
  }

  void addHost(String name, String source, String zone, Optional<String> rack) {
    hosts.put(name, new Host(name, source, zone, rack));
  }

  void addInstance(String id, String application, int capacity, String host) {
    instances.put(id, new Running(id, application, capacity, host(host)));
  }

  Host host(String name) {
    Host host = hosts.get(name);
    if (host == null) {
      throw new IllegalArgumentException("no host " + name);
    }
    return host;
  }

  Collection<Host> hosts() {
    return hosts.values();
  }

  List<Running> instances() {
    return List.copyOf(instances.values());
  }

  /** The next number of the one sequence that orders readings and effects. */
  long mark() {
    return ++marks;
  }

  void work(String host, String worker) {
    host(host).workers.add(worker);
  }

  /** What runs there is started again. */
  void workEnds(String host, String worker) {
    host(host).workers.remove(worker);
  }

  void sick(Running instance, double seconds) {
    instance.sickUntil = agenda.now().plusMillis((long) (seconds * 1000));
  }

  /** One of those that run there is, if any do. */
  void crash(String host, double seconds) {
    List<Running> there =
        instances.values().stream().filter(one -> one.host.name.equals(host)).toList();
    if (!there.isEmpty()) {
      sick(agenda.oneOf(there), seconds);
    }
  }

  boolean healthy(Running instance) {
    return instance.host.workers.isEmpty() && !agenda.now().isBefore(instance.sickUntil);
  }

  boolean allHealthyOn(String host) {
    return instances.values().stream()
        .allMatch(instance -> !instance.host.name.equals(host) || healthy(instance));
  }

  /**
   * Schedulers leave hosts alone that are cordoned or run the application, and know of no locks.
   */
  void move(Running instance, Host to) {
    boolean runsThere =
        instances.values().stream()
            .anyMatch(one -> one.host == to && one.application.equals(instance.application));
    boolean takes = !to.cordoned && to.workers.isEmpty() && !runsThere;
    if (takes && to.source.equals(instance.host.source)) {
      instance.host = to;
      sick(instance, agenda.between(1, 8));
    }
  }

  /** What a source reads now. Sometimes it cannot tell. */
  Report read(String source, double unreadable) {
    List<Report.Seen> seen = new ArrayList<>();
    for (Running instance : instances.values()) {
      if (instance.host.source.equals(source)) {
        Health health = healthy(instance) ? Health.HEALTHY : Health.UNHEALTHY;
        Health read = agenda.chance(unreadable) ? Health.UNKNOWN : health;
        seen.add(
            new Report.Seen(
                instance.id,
                instance.application,
                instance.host.name,
                instance.host.zone,
                instance.capacity,
                read));
      }
    }
    return new Report(source, mark(), agenda.now(), seen);
  }

  Report read(String source) {
    return read(source, UNREADABLE);
  }
}
