package dev.drydock.adapter.spi;

import dev.drydock.api.HealthState;
import dev.drydock.api.HostReportArray;
import dev.drydock.api.InstanceReportArray;
import dev.drydock.api.InventoryReport;
import dev.drydock.api.ReportReceipt;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports all hosts and instances of an adapter about once a second, whatever its jobs do. */
public final class InventoryLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(InventoryLoop.class);
  private static final long PERIOD_MILLIS = 1000;

  /** A cold program on a busy machine may miss answers; what stays unknown after so many is. */
  static final int FIRST_REPORTS = 5;

  private final SchedulerAdapter adapter;
  private final Board board;
  private final Thread thread;
  private final CountDownLatch known = new CountDownLatch(1);
  private int accepted;

  public InventoryLoop(SchedulerAdapter adapter, Board board) {
    this.adapter = adapter;
    this.board = board;
    this.thread =
        Thread.ofPlatform().name("inventory of " + adapter.source()).unstarted(this::loop);
  }

  public InventoryLoop start() {
    thread.start();
    return this;
  }

  private void loop() {
    OutageLog outageLog = new OutageLog(LOG, "reporting the inventory");
    try {
      while (true) {
        long began = System.nanoTime();
        try {
          reportOnce();
          outageLog.worked();
        } catch (RuntimeException e) {
          outageLog.failed(e);
        }
        long took = (System.nanoTime() - began) / 1_000_000;
        Thread.sleep(Math.max(1, outageLog.pauseMillis(PERIOD_MILLIS) - took));
      }
    } catch (InterruptedException e) {
      LOG.info("reports no more");
    }
  }

  /** The mark comes first: what is read after it is at least as new. */
  void reportOnce() throws InterruptedException {
    long mark = board.mark(adapter.source());
    Observation observed = adapter.observe();
    ReportReceipt receipt =
        board.report(
            new InventoryReport()
                .setSource(adapter.source())
                .setMark(mark)
                .setFull(true)
                .setHosts(new HostReportArray(observed.hosts()))
                .setInstances(new InstanceReportArray(observed.instances())));
    if (!receipt.isAccepted()) {
      LOG.warn("the server ignored the report under mark {}: {}", mark, receipt.getReason());
      return;
    }
    boolean all =
        observed.instances().stream()
            .noneMatch(instance -> instance.getHealth() == HealthState.Unknown);
    if (++accepted >= FIRST_REPORTS || all) {
      known.countDown();
    }
  }

  /** Returns when the server knows how all instances are, as far as that can be read. */
  void awaitKnown() throws InterruptedException {
    known.await();
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
