package dev.drydock.orchestrator.api;

import dev.drydock.lock.core.Locks;
import dev.drydock.orchestrator.control.HostQuarantines;
import dev.drydock.orchestrator.control.HostReturns;
import dev.drydock.orchestrator.control.HostWriteOffs;
import dev.drydock.orchestrator.packages.PackageWatch;
import dev.drydock.orchestrator.store.HostDecisions;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.platform.http.Resources;
import org.jdbi.v3.core.Jdbi;

/** The resources of hosts: hostUpgrades, hostDecisions, hostOperations and packageReadings. */
public final class HostResources {
  private HostResources() {}

  /**
   * All of them.
   *
   * @param locks what is locked
   */
  public static Resources of(Jdbi jdbi, RolloutStore rollouts, Locks locks) {
    return Resources.of(HostUpgradesResource.class, () -> new HostUpgradesResource(rollouts))
        .and(HostDecisionsResource.class, () -> new HostDecisionsResource(new HostDecisions(jdbi)))
        .and(
            PackageReadingsResource.class,
            () -> new PackageReadingsResource(new PackageWatch(jdbi, locks)))
        .and(
            HostOperationsResource.class,
            () ->
                new HostOperationsResource(
                    new HostReturns(jdbi, locks),
                    new HostQuarantines(jdbi, locks),
                    new HostWriteOffs(jdbi, locks),
                    rollouts));
  }
}
