package dev.drydock.orchestrator.inventory;

import dev.drydock.api.HealthState;
import dev.drydock.api.HostReport;
import dev.drydock.api.HostReportArray;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.InstanceReportArray;
import dev.drydock.api.InventoryReport;
import java.time.Instant;

/** Builds reports the way an adapter would. */
final class Reports {
  private Reports() {}

  static InventoryReport full(String source, long mark) {
    return new InventoryReport()
        .setSource(source)
        .setMark(mark)
        .setFull(true)
        .setHosts(new HostReportArray())
        .setInstances(new InstanceReportArray());
  }

  static InventoryReport delta(String source, long mark) {
    return full(source, mark).setFull(false);
  }

  static InventoryReport with(InventoryReport report, String... hosts) {
    for (String host : hosts) {
      report.getHosts().add(host(host));
      report.getInstances().add(web(host));
    }
    return report;
  }

  static HostReport host(String name) {
    return new HostReport().setName(name).setAddress("10.0.0.1").setScheduler("static");
  }

  static InstanceReport web(String host) {
    return new InstanceReport()
        .setId("web@" + host)
        .setApplication("web")
        .setHost(host)
        .setZone("z-" + host)
        .setHealth(HealthState.Healthy)
        .setObservedAt(Instant.now().toEpochMilli());
  }
}
