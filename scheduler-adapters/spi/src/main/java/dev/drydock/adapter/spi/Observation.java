package dev.drydock.adapter.spi;

import dev.drydock.api.HostReport;
import dev.drydock.api.InstanceReport;
import java.util.List;

/** All hosts and instances of a scheduler as they were just read. */
public record Observation(List<HostReport> hosts, List<InstanceReport> instances) {
  public Observation {
    hosts = List.copyOf(hosts);
    instances = List.copyOf(instances);
  }
}
