package dev.drydock.adapter.spi;

import dev.drydock.api.InstanceReport;
import java.util.List;

/**
 * Every instance on a host as it was just read.
 *
 * @param mark fetched after the last effect and before the reading began
 */
public record HostReading(long mark, List<InstanceReport> instances) {
  public HostReading {
    instances = List.copyOf(instances);
  }
}
