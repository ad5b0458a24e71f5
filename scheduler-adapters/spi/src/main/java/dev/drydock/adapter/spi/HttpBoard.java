package dev.drydock.adapter.spi;

import dev.drydock.api.ClaimedJob;
import dev.drydock.api.DrainLeft;
import dev.drydock.api.Host;
import dev.drydock.api.HostPhase;
import dev.drydock.api.InventoryReport;
import dev.drydock.api.Job;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.api.LockKind;
import dev.drydock.api.ReportReceipt;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The board over HTTP. Thread-safe. */
public final class HttpBoard implements Board, AutoCloseable {
  /**
   * Shorter than a third of the usual lease, so that one lost heartbeat leaves time for another.
   */
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(4);

  /** A result outlives a long restart of the server; if its claim did not, the server says so. */
  private static final Duration COMPLETE_BUDGET = Duration.ofMinutes(5);

  private static final Duration MARK_BUDGET = Duration.ofSeconds(10);

  private final DrydockClient once;
  private final DrydockClient completing;
  private final DrydockClient marking;

  public HttpBoard(ClientConfig config) {
    ClientConfig hasty = config.withCallTimeout(CALL_TIMEOUT);
    this.once = new DrydockClient(hasty.withRetryBudget(Duration.ZERO));
    this.completing = new DrydockClient(hasty.withRetryBudget(COMPLETE_BUDGET));
    this.marking = new DrydockClient(hasty.withRetryBudget(MARK_BUDGET));
  }

  @Override
  public List<Job> claimable(String topic, List<JobStep> steps, int limit) {
    return once.claimable(List.of(topic), steps, limit);
  }

  @Override
  public Map<String, HostPhase> underWay() {
    List<String> held =
        once.locksHeld().stream()
            .filter(lock -> lock.getKind() == LockKind.Batch)
            .flatMap(lock -> lock.getHosts().stream())
            .distinct()
            .toList();
    Map<String, HostPhase> found = new HashMap<>();
    once.hosts(held).forEach((name, host) -> phase(host).ifPresent(at -> found.put(name, at)));
    return found;
  }

  @Override
  public Optional<HostPhase> phase(String host) {
    return Optional.ofNullable(once.hosts(List.of(host)).get(host)).flatMap(HttpBoard::phase);
  }

  private static Optional<HostPhase> phase(Host host) {
    return Optional.ofNullable(host.getPhase());
  }

  @Override
  public ClaimedJob claim(String job, String consumer) {
    return once.claim(job, consumer);
  }

  @Override
  public int heartbeat(String job, String claim, Optional<DrainLeft> left) {
    return once.heartbeat(job, claim, left);
  }

  @Override
  public void complete(String job, String claim, JobResult result) {
    completing.complete(job, claim, result);
  }

  @Override
  public long mark(String source) {
    return marking.mark(source);
  }

  @Override
  public ReportReceipt report(InventoryReport report) {
    return once.report(report);
  }

  @Override
  public void close() {
    once.close();
    completing.close();
    marking.close();
  }
}
