package dev.drydock.orchestrator.inventory;

import dev.drydock.lock.core.Locks;
import dev.drydock.orchestrator.inventory.api.HostsResource;
import dev.drydock.orchestrator.inventory.api.InventoryResource;
import dev.drydock.orchestrator.inventory.api.ReleasesResource;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.rounds.DutyLoop;
import dev.drydock.platform.store.Database;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inventory room: what hosts and instances there are, as their sources observe them, and the
 * release catalogue. Safe for use by many threads.
 */
public final class InventoryService implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(InventoryService.class);
  private static final Duration MARKS_KEPT = Duration.ofDays(1);

  /** As long as the events of the rollouts that are judged by them. */
  private static final Duration OBSERVATIONS_KEPT = Duration.ofDays(7);

  private static final Duration PRUNE_INTERVAL = Duration.ofMinutes(10);

  private final MarkIssuer markIssuer;
  private final ObservationLog observations;
  private final ReportIntake reports;
  private final HostStore hostStore;
  private final Releases releases;
  private final Locks locks;
  private final DutyLoop pruning = new DutyLoop("prune-marks");

  /**
   * The room over one database.
   *
   * @param locks to be shown with their hosts
   */
  public InventoryService(Database database, Metrics metrics, Locks locks) {
    this.markIssuer = new MarkIssuer(database.jdbi());
    this.observations = new ObservationLog(database.jdbi());
    this.reports = new ReportIntake(database.jdbi(), metrics);
    this.hostStore = new HostStore(database.jdbi());
    this.releases = new Releases(database.jdbi());
    this.locks = locks;
  }

  /** Starts forgetting old marks and observations. */
  public void start() {
    pruning.every(PRUNE_INTERVAL, "forget old marks and observations", this::prune);
  }

  private void prune() {
    int pruned = markIssuer.prune(MARKS_KEPT);
    log.debug("forgot {} marks older than {}", pruned, MARKS_KEPT);
    int observed = observations.prune(OBSERVATIONS_KEPT);
    log.debug("forgot {} observations older than {}", observed, OBSERVATIONS_KEPT);
  }

  public MarkIssuer marks() {
    return markIssuer;
  }

  public ReportIntake reports() {
    return reports;
  }

  public HostStore hosts() {
    return hostStore;
  }

  public Releases releases() {
    return releases;
  }

  /** The resources inventory, hosts and releases. */
  public Resources resources() {
    return Resources.of(InventoryResource.class, () -> new InventoryResource(markIssuer, reports))
        .and(HostsResource.class, () -> new HostsResource(hostStore, locks))
        .and(ReleasesResource.class, () -> new ReleasesResource(releases));
  }

  @Override
  public void close() {
    pruning.close();
  }
}
