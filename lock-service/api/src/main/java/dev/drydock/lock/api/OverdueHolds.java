package dev.drydock.lock.api;

import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Quarantines hosts whose client outlived its maximum and that nobody saw healthy since, or started
 * anew where the client asked for that; the grantor releases those that were seen. Nothing is
 * undone there. Any number of processes may do this.
 */
final class OverdueHolds implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OverdueHolds.class);
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private final Holds holds;
  private final InstantSource clock;
  private final Duration patience;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("overdue-holds").factory());

  /**
   * Does nothing yet.
   *
   * @param patience how long the host may take to be seen healthy after the maximum
   */
  OverdueHolds(Holds holds, InstantSource clock, Duration patience) {
    this.holds = holds;
    this.clock = clock;
    this.patience = patience;
  }

  /** Looks again and again, whenever {@code due} says that it is this process' turn. */
  void start(BooleanSupplier due) {
    timer.scheduleWithFixedDelay(
        () -> round(due), INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void round(BooleanSupplier due) {
    try {
      if (due.getAsBoolean()) {
        sweep();
      }
    } catch (RuntimeException | Error failed) {
      // Whatever comes out of here would end the schedule.
      log.warn("overdue holds could not be looked after, the next round repeats it", failed);
    }
  }

  /** One look. */
  void sweep() {
    Instant late = clock.instant().minus(patience);
    for (LockRecord lock : holds.table().locks().values()) {
      if (lock.overdue(late)) {
        String why =
            "not seen "
                + (lock.id().startsWith(FleetLock.PREFIX) ? "restarted and " : "")
                + "healthy within "
                + patience.toSeconds()
                + " s after the "
                + lock.maxSeconds()
                + " s it was to take: "
                + lock.reason();
        log.warn("{} is quarantined: {}", lock.host(), why);
        holds.quarantine(lock.id(), lock.host(), why);
      }
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
