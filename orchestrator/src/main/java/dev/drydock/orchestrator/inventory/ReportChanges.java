package dev.drydock.orchestrator.inventory;

import dev.drydock.api.InventoryReport;
import dev.drydock.orchestrator.inventory.KnownInventory.KnownHost;
import dev.drydock.orchestrator.inventory.KnownInventory.KnownInstance;
import dev.drydock.proto.Json;
import java.util.Map;

/**
 * How a report differs from what was known.
 *
 * @param appeared hosts and instances that are new, moved or back
 * @param vanished hosts and instances a full report no longer names
 * @param health instances whose health is not what it was
 */
record ReportChanges(int appeared, int vanished, int health) {

  static ReportChanges of(InventoryReport report, KnownInventory knownInventory, int vanished) {
    long hosts =
        report.getHosts().stream()
            .filter(
                host -> {
                  KnownHost before = knownInventory.hosts().get(host.getName());
                  return before == null || before.differs(host);
                })
            .count();
    int placed = 0;
    int health = 0;
    for (var instance : report.getInstances()) {
      KnownInstance before = knownInventory.instances().get(instance.getId());
      if (before == null || before.placedElsewhere(instance)) {
        placed++;
      } else if (before.healthDiffers(instance)) {
        health++;
      }
    }
    return new ReportChanges((int) hosts + placed, vanished, health);
  }

  /** Whether what runs where is not what it was. */
  boolean placement() {
    return appeared + vanished > 0;
  }

  boolean any() {
    return placement() || health > 0;
  }

  String toJson(InventoryReport report) {
    return Json.writeTree(
        Map.of(
            "mark",
            report.getMark(),
            "full",
            report.isFull(),
            "appeared",
            appeared,
            "vanished",
            vanished));
  }
}
