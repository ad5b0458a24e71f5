package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.Observation;
import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.Prober.Health;
import dev.drydock.api.HealthState;
import dev.drydock.api.HostReport;
import dev.drydock.api.InstanceReport;
import dev.drydock.proto.client.WireCollections;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads how instances are. Healthy means that it serves: it says it is ready, and it is in
 * rotation. What cannot be read is Unknown, never Healthy.
 */
final class InstanceObserver {
  /** How long it is told that somebody put an instance back. */
  private static final long TOLD_MILLIS = 600_000;

  private final Supplier<Allocation> allocation;

  /** When an instance was last taken out again that somebody had put back; for people only. */
  private final Map<String, Long> takenOut = new ConcurrentHashMap<>();

  private final Rotation rotation;
  private final Prober prober;
  private final InstantSource clock;

  InstanceObserver(
      Supplier<Allocation> allocation, Rotation rotation, Prober prober, InstantSource clock) {
    this.allocation = allocation;
    this.rotation = rotation;
    this.prober = prober;
    this.clock = clock;
  }

  Observation all() throws InterruptedException {
    Map<String, String> bootIds = new HashMap<>();
    Allocation listed = allocation.get();
    List<InstanceReport> instances = read(listed.instances(), bootIds);
    return new Observation(
        listed.hosts().stream().map(host -> report(host, bootIds.get(host.name()))).toList(),
        instances);
  }

  /** The listed instances of a host, and those that run there although they are not listed. */
  List<InstanceReport> host(FixedHost host, HostState state) throws InterruptedException {
    List<FixedInstance> listed = allocation.get().on(host.name());
    List<InstanceReport> reports = new ArrayList<>(read(listed, new HashMap<>()));
    state
        .services()
        .forEach(
            (service, now) -> {
              boolean known =
                  listed.stream().anyMatch(instance -> instance.service().equals(service));
              if (now != HostState.Service.STOPPED && !known) {
                stranger(host, service).ifPresent(reports::add);
              }
            });
    return reports;
  }

  /**
   * Reads instances.
   *
   * @param bootIds gets those of the hosts whose instances tell them
   */
  private List<InstanceReport> read(List<FixedInstance> instances, Map<String, String> bootIds)
      throws InterruptedException {
    long began = clock.millis();
    Optional<Rotation.Snapshot> places = Optional.empty();
    String rotationFault = "";
    try {
      places = Optional.of(rotation.read());
    } catch (IOException e) {
      rotationFault = String.valueOf(e.getMessage());
    }
    Map<FixedInstance, Health> answers = prober.probe(instances);
    List<InstanceReport> reports = new ArrayList<>();
    for (FixedInstance instance : instances) {
      Health answer = answers.getOrDefault(instance, new Health.Silent("not asked"));
      if (answer instanceof Health.Ready ready && ready.bootId() != null) {
        bootIds.put(instance.host(), ready.bootId());
      }
      Verdict verdict =
          places.isEmpty()
              ? new Verdict(HealthState.Unknown, rotationFault)
              : judge(instance, places.get().serves(instance), answer);
      reports.add(report(instance, verdict, began));
    }
    return reports;
  }

  private record Verdict(HealthState health, String detail) {}

  /** Somebody had put them back in rotation while their host was worked on. */
  void tookOut(List<String> instances) {
    instances.forEach(id -> takenOut.put(id, clock.millis()));
  }

  private String outOfRotation(FixedInstance instance) {
    long at = takenOut.getOrDefault(instance.id(), -TOLD_MILLIS);
    return clock.millis() - at > TOLD_MILLIS
        ? "out of rotation"
        : "out of rotation; somebody put it back at "
            + Instant.ofEpochMilli(at).truncatedTo(ChronoUnit.SECONDS)
            + " while its host was worked on, and it was taken out again";
  }

  private Verdict judge(FixedInstance instance, boolean serves, Health health) {
    return switch (health) {
      case Health.Ready ready ->
          serves
              ? new Verdict(HealthState.Healthy, "")
              : new Verdict(HealthState.Unhealthy, outOfRotation(instance));
      case Health.NotReady notReady -> new Verdict(HealthState.Unhealthy, notReady.why());
      case Health.Absent absent -> new Verdict(HealthState.Unhealthy, absent.why());
      case Health.Silent silent -> new Verdict(HealthState.Unknown, silent.why());
    };
  }

  /** A service of an application of this list that nobody placed here. */
  private Optional<InstanceReport> stranger(FixedHost host, String service) {
    return allocation.get().instances().stream()
        .filter(instance -> instance.service().equals(service))
        .map(FixedInstance::application)
        .findFirst()
        .map(
            application ->
                new InstanceReport()
                    .setId(application + "@" + host.name())
                    .setApplication(application)
                    .setHost(host.name())
                    .setZone(host.zones().getOrDefault(application, "unlisted"))
                    .setHealth(HealthState.Unknown)
                    .setDetail("runs here but is not in the allocation list")
                    .setObservedAt(clock.millis()));
  }

  private InstanceReport report(FixedInstance instance, Verdict verdict, long observedAt) {
    return new InstanceReport()
        .setId(instance.id())
        .setApplication(instance.application())
        .setHost(instance.host())
        .setZone(instance.zone())
        .setCapacity(instance.capacity())
        .setHealth(verdict.health())
        .setDetail(verdict.detail())
        .setObservedAt(observedAt);
  }

  private HostReport report(FixedHost host, @Nullable String bootId) {
    HostReport report =
        new HostReport()
            .setName(host.name())
            .setAddress(host.address())
            .setScheduler(allocation.get().scheduler())
            .setHardwareClass(host.hardwareClass())
            .setLabels(WireCollections.map(host.labels()));
    if (bootId != null) {
      report.setBootId(bootId);
    }
    return report;
  }
}
