package dev.drydock.orchestrator.inventory;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A host as stored.
 *
 * @param release verified at the end of the last upgrade by Drydock
 * @param instances all that were ever reported on it and have not been reported elsewhere since;
 *     vanished ones say so
 */
public record HostRow(
    String name,
    String address,
    String scheduler,
    String hardwareClass,
    Map<String, String> labels,
    String source,
    Instant observedAt,
    Optional<Instant> vanishedAt,
    Optional<String> release,
    List<InstanceRow> instances) {

  public HostRow {
    labels = Map.copyOf(labels);
    instances = List.copyOf(instances);
  }

  /** An instance with its latest observation as stored. */
  public record InstanceRow(
      String id,
      String application,
      String host,
      String zone,
      String health,
      String detail,
      long mark,
      Instant observedAt,
      Optional<Instant> vanishedAt) {}

  HostRow with(List<InstanceRow> found) {
    return new HostRow(
        name,
        address,
        scheduler,
        hardwareClass,
        labels,
        source,
        observedAt,
        vanishedAt,
        release,
        found);
  }
}
