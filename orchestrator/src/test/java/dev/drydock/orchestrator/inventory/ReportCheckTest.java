package dev.drydock.orchestrator.inventory;

import static dev.drydock.orchestrator.inventory.Reports.delta;
import static dev.drydock.orchestrator.inventory.Reports.full;
import static dev.drydock.orchestrator.inventory.Reports.host;
import static dev.drydock.orchestrator.inventory.Reports.web;
import static dev.drydock.orchestrator.inventory.Reports.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.InventoryReport;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportCheckTest {

  private static List<String> faults(InventoryReport report) {
    return ReportCheck.faults(report).stream().map(f -> f.getPath()).toList();
  }

  @Test
  void aGoodReportHasNoFaults() {
    assertThat(faults(with(full("static", 1), "h1", "h2"))).isEmpty();
  }

  @Test
  void namesEveryFaultWithItsPlace() {
    InventoryReport report = with(full("", 1), "h1");
    report.getHosts().add(host("h1"));
    report.getHosts().add(host("-rf").setAddress("10.0.0.1; reboot").setScheduler("a/b"));
    report.getInstances().add(web("h1"));
    report.getInstances().add(web("h5").setDetail("\0"));
    report.getInstances().add(web("h6").setHost("h1").setCapacity(0));
    report.getInstances().add(web("h7").setHost("h1").setCapacity(10_001));
    assertThat(faults(report))
        .containsExactly(
            "source",
            "hosts[1].name",
            "hosts[2].name",
            "hosts[2].scheduler",
            "hosts[2].address",
            "instances[1].id",
            "instances[2].detail",
            "instances[2].host",
            "instances[3].capacity",
            "instances[4].capacity");
  }

  @Test
  void aDeltaMayNameInstancesOfHostsReportedEarlier() {
    InventoryReport report = delta("static", 1);
    report.getInstances().add(web("h1"));
    assertThat(faults(report)).isEmpty();
  }

  @Test
  void refusesTextThatCannotBeStored() {
    assertThat(NameRules.isText("half of a pair: \ud83d")).isFalse();
    assertThat(NameRules.isText("x".repeat(4_001))).isFalse();
    assertThat(NameRules.isText("whole: \ud83d\ude00")).isTrue();
  }
}
