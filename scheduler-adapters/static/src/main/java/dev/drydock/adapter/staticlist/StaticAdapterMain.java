package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.AdapterLoop;
import dev.drydock.adapter.spi.GuardLoop;
import dev.drydock.adapter.spi.HttpBoard;
import dev.drydock.adapter.spi.InventoryLoop;
import dev.drydock.adapter.spi.JobMetrics;
import dev.drydock.adapter.spi.ProcUptimeClock;
import dev.drydock.proto.client.ClientConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the static adapter until TERM: {@code StaticAdapterMain --config FILE}, with DRYDOCK_URL and
 * DRYDOCK_TOKEN_FILE in the environment, and {@code /metrics} at DRYDOCK_METRICS_ADDRESS if that is
 * set. Exit codes: 0 ended by a signal, 2 wrong arguments or configuration.
 */
public final class StaticAdapterMain {
  private static final Logger LOG = LoggerFactory.getLogger(StaticAdapterMain.class);
  private static final int USAGE = 2;

  private StaticAdapterMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    Map<String, String> environment = System.getenv();
    List<String> given = List.of(arguments);
    if (given.size() != 2 || !given.getFirst().equals("--config")) {
      fail("usage: StaticAdapterMain --config FILE");
    }
    for (String name : List.of("DRYDOCK_URL", "DRYDOCK_TOKEN_FILE")) {
      if (environment.getOrDefault(name, "").isBlank()) {
        fail(name + " is not set");
      }
    }
    Path file = Path.of(given.getLast());
    String metrics = environment.getOrDefault("DRYDOCK_METRICS_ADDRESS", "");
    try {
      if (!metrics.isEmpty()) {
        JobMetrics.serve(metrics);
      }
      run(new AllocationWatch(file), environment);
    } catch (AllocationFile.Faulty e) {
      e.faults().forEach(fault -> System.err.println(file + ": " + fault));
      System.exit(USAGE);
    } catch (IOException | IllegalArgumentException e) {
      fail("DRYDOCK_METRICS_ADDRESS: " + metrics + ": " + e.getMessage());
    }
  }

  private static void run(Supplier<Allocation> listed, Map<String, String> environment)
      throws InterruptedException {
    Allocation allocation = listed.get();
    boolean skipRotation = "1".equals(environment.get("DRYDOCK_ADAPTER_SKIP_ROTATION"));
    if (skipRotation) {
      LOG.error(
          "TEST CONTROL: DRYDOCK_ADAPTER_SKIP_ROTATION=1: hosts are stopped under traffic, requests will fail");
    }
    String consumer =
        environment.getOrDefault(
            "DRYDOCK_CONSUMER",
            "adapter-" + allocation.scheduler() + "-" + ProcessHandle.current().pid());
    ClientConfig config =
        ClientConfig.of(
            URI.create(environment.get("DRYDOCK_URL")),
            Path.of(environment.get("DRYDOCK_TOKEN_FILE")));
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> awaitClose(ended, closed), "shutdown"));
    PollDelay pollDelay = PollDelay.real();
    try (HttpProber prober = new HttpProber(listed);
        HttpBoard board = new HttpBoard(config)) {
      HostAccess hostAccess = new SshHosts(new Ssh(allocation.ssh()), Hostrun.load(), pollDelay);
      StaticAdapter.Tools tools =
          new StaticAdapter.Tools(
              hostAccess,
              new HaproxyRotation(allocation.rotation()),
              prober,
              pollDelay,
              InstantSource.system());
      StaticAdapter adapter = new StaticAdapter(listed, tools, skipRotation);
      ProcUptimeClock clock = new ProcUptimeClock();
      try (InventoryLoop inventory = new InventoryLoop(adapter, board).start();
          AdapterLoop jobs =
              new AdapterLoop(adapter, board, clock, consumer).startAfter(inventory);
          GuardLoop guard = new GuardLoop(adapter, board, clock, jobs).start()) {
        LOG.info(
            "{}: {} hosts, {} instances",
            consumer,
            allocation.hosts().size(),
            allocation.instances().size());
        ended.await();
        LOG.info("{}: ending", consumer);
      }
    } finally {
      closed.countDown();
    }
  }

  /** In the shutdown hook: lets main close everything, but not for ever. */
  private static void awaitClose(CountDownLatch ended, CountDownLatch closed) {
    ended.countDown();
    try {
      if (!closed.await(15, java.util.concurrent.TimeUnit.SECONDS)) {
        LOG.warn("ended without waiting any longer");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    // A JVM ended by TERM would answer 143; the signal was asked for and obeyed.
    Runtime.getRuntime().halt(0);
  }

  private static void fail(String why) {
    System.err.println(why);
    System.exit(USAGE);
  }
}
