package dev.drydock.lock.api;

import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.platform.rounds.DutyLoop;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
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
  private final LongSupplier nanos;
  private final Duration patience;

  /** Since when this process knows that a lapse was noted; confined to whoever sweeps. */
  private final Map<LockRecord, Long> overdue = new HashMap<>();

  private final DutyLoop dutyLoop = new DutyLoop("overdue-holds");

  /**
   * Does nothing yet.
   *
   * @param nanos a clock that does not jump
   * @param patience how long the host may take to be seen healthy after the maximum
   */
  OverdueHolds(Holds holds, LongSupplier nanos, Duration patience) {
    this.holds = holds;
    this.nanos = nanos;
    this.patience = patience;
  }

  /** Looks again and again, whenever {@code due} says that it is this process' turn. */
  void start(BooleanSupplier due) {
    dutyLoop.every(
        INTERVAL,
        "look after overdue holds",
        () -> {
          if (due.getAsBoolean()) {
            sweep();
          }
        });
  }

  /** One look. That a maximum is over is what the grantor noted, and nothing else. */
  void sweep() {
    long now = nanos.getAsLong();
    LockTable table = holds.table();
    Set<LockRecord> noted =
        table.locks().values().stream()
            .filter(lock -> lock.verifiedAfterMaximum() && table.noted(lock))
            .collect(Collectors.toSet());
    overdue.keySet().retainAll(noted);
    for (LockRecord lock : noted) {
      if (now - overdue.computeIfAbsent(lock, first -> now) > patience.toNanos()) {
        quarantine(lock);
      }
    }
  }

  private void quarantine(LockRecord lock) {
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

  @Override
  public void close() {
    dutyLoop.close();
  }
}
