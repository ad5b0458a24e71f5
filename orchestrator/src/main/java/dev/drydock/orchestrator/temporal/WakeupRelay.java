package dev.drydock.orchestrator.temporal;

import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.store.Database;
import dev.drydock.platform.store.WakeupChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers wake-ups to workflows until they answer. One that runs no more, or not yet, needs none:
 * it reads the rows when it starts. At most one thread delivers per process; several processes may,
 * a second wake-up is harmless.
 */
public final class WakeupRelay implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WakeupRelay.class);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final int AT_ONCE = 200;

  private final Wakeups wakeups;
  private final Workflows workflows;
  private final Metrics metrics;
  private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
  private final WakeupChannel.Listener listener;

  /** Starts to deliver. */
  public WakeupRelay(Database database, Workflows workflows, Metrics metrics) {
    this.wakeups = new Wakeups(database.jdbi());
    this.workflows = workflows;
    this.metrics = metrics;
    this.listener = new WakeupChannel(database).listen(Wakeups.RELAY_CHANNEL, POLL, this::deliver);
  }

  /** One that is not answered holds up the next round for as long as a call may take, no more. */
  private void deliver() {
    List<Wakeups.Due> due = wakeups.due(AT_ONCE);
    metrics.wakeupsUndelivered.set(due.size());
    Queue<Wakeups.Due> answered = new ConcurrentLinkedQueue<>();
    try {
      calls.invokeAll(
          due.stream()
              .map(wakeup -> Executors.callable(() -> answer(wakeup).ifPresent(answered::add)))
              .toList());
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
    wakeups.delivered(answered);
  }

  private Optional<Wakeups.Due> answer(Wakeups.Due wakeup) {
    try {
      if (!workflows.wake(wakeup.workflow(), wakeup.cause())) {
        log.debug("{} does not run, nothing to wake for {}", wakeup.workflow(), wakeup.cause());
      }
      return Optional.of(wakeup);
    } catch (RuntimeException unanswered) {
      // Whatever it was: nobody else looks at what became of this call.
      log.warn(
          "Temporal did not take the wake-up of {}, it is repeated: {}",
          wakeup.workflow(),
          unanswered.getMessage());
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    listener.close();
    calls.shutdownNow();
  }
}
