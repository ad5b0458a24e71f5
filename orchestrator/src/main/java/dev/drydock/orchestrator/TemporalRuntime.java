package dev.drydock.orchestrator;

import dev.drydock.orchestrator.activity.BatchActivities;
import dev.drydock.orchestrator.activity.RolloutActivities;
import dev.drydock.orchestrator.temporal.TemporalConnection;
import dev.drydock.orchestrator.temporal.WakeupRelay;
import dev.drydock.orchestrator.temporal.Workflows;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.store.Database;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process has of Temporal: the worker and the relay of wake-ups, once it can be reached.
 * {@link #connect} is called by one thread, everything else by many.
 */
final class TemporalRuntime implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TemporalRuntime.class);

  private final Database database;
  private final Metrics metrics;
  private final TemporalConnection connection;
  private final Workflows workflows;
  private final ExecutorService starts = Executors.newVirtualThreadPerTaskExecutor();
  private volatile @Nullable WakeupRelay wakeupRelay;
  private boolean working;

  /**
   * Connects to nothing yet.
   *
   * @param told Temporal as it seems to be; for tests that plant a fault there
   */
  TemporalRuntime(
      Database database,
      ServerConfig.Temporal config,
      Metrics metrics,
      UnaryOperator<Workflows> told) {
    this.database = database;
    this.metrics = metrics;
    this.connection = new TemporalConnection(config);
    this.workflows = told.apply(connection.workflows());
  }

  Workflows workflows() {
    return workflows;
  }

  /** Whether workflows run in this process. */
  boolean connected() {
    return wakeupRelay != null;
  }

  /** To be repeated until it is connected; afterwards there is nothing to do. */
  void connect(BatchActivities batches, RolloutActivities rollouts) {
    if (connected() || !ready()) {
      return;
    }
    if (!working) {
      connection.startWorker(batches, rollouts);
      working = true;
    }
    wakeupRelay = new WakeupRelay(database, workflows, metrics);
    log.info("connected to Temporal");
  }

  private boolean ready() {
    try {
      return connection.namespaceReady();
    } catch (StatusRuntimeException unreachable) {
      log.info("Temporal is not ready yet: {}", unreachable.getStatus());
      return false;
    }
  }

  /** Best effort: the sweeper starts what is missing. */
  void inBackground(Runnable start) {
    if (!connected()) {
      return;
    }
    starts.execute(
        () -> {
          try {
            start.run();
          } catch (RuntimeException failed) {
            log.warn("a workflow did not start, the sweeper will: {}", failed.getMessage());
          }
        });
  }

  @Override
  public void close() {
    starts.shutdownNow();
    WakeupRelay listening = wakeupRelay;
    if (listening != null) {
      listening.close();
    }
    connection.close();
  }
}
