package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.EventKind;
import dev.drydock.platform.events.NewEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * A rollout whose hosts go from step to step without end, told as the server tells it. Beside them
 * some transactions write an event early and commit only after a follower has seen a later one.
 */
final class FeedScenario implements AutoCloseable {
  private static final int HOSTS = 4;
  private static final int LATE_COMMITTERS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(180);

  private final Jdbi jdbi;
  private final String rollout;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> hosts = new ArrayList<>();
  private final List<Future<?>> committers = new ArrayList<>();
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong seen = new AtomicLong();
  private final AtomicLong late = new AtomicLong();
  private volatile boolean lateEnough;
  private volatile boolean told;

  FeedScenario(Jdbi jdbi, String rollout) {
    this.jdbi = jdbi;
    this.rollout = rollout;
    jdbi.useHandle(this::begin);
    for (int i = 0; i < HOSTS; i++) {
      String host = host(i);
      hosts.add(threads.submit(() -> work(host)));
    }
    for (int i = 0; i < LATE_COMMITTERS; i++) {
      committers.add(threads.submit(this::commitLate));
    }
  }

  private String host(int i) {
    return rollout + "-h" + i;
  }

  private void begin(Handle handle) {
    RolloutRows.rollout(handle, rollout);
    for (int i = 0; i < HOSTS; i++) {
      RolloutRows.host(handle, rollout, host(i), i);
    }
  }

  private void work(String host) {
    try (Handle handle = jdbi.open()) {
      while (!told) {
        handle.useTransaction(
            transaction -> {
              long place = written.incrementAndGet();
              RolloutRows.reaches(transaction, rollout, host, "Step" + place);
              event(EventKind.JobPublished, host, place).append(transaction);
              transaction.execute("SELECT pg_sleep(0.03)");
            });
      }
    }
  }

  private void commitLate() {
    try (Handle handle = jdbi.open()) {
      while (!lateEnough) {
        handle.useTransaction(
            transaction -> {
              long place = written.incrementAndGet();
              event(EventKind.JobDone, host(0), place).append(transaction);
              until(() -> seen.get() > place, "a follower sees what was written after " + place);
            });
        late.incrementAndGet();
      }
    }
  }

  private NewEvent event(EventKind kind, String host, long place) {
    return NewEvent.ofHost(kind, rollout, host, Map.of("place", place));
  }

  /** A follower saw the event of this place. */
  void saw(long place) {
    seen.accumulateAndGet(place, Math::max);
  }

  /** Waits until that much more has been written. */
  void untilWritten(int more) {
    long before = written.get();
    until(() -> written.get() >= before + more, "the story goes on");
  }

  /** Waits until that many more transactions have committed late. */
  void untilLate(int more) {
    // Those that are open now may have begun before whoever is to miss them came.
    long before = late.get() + LATE_COMMITTERS;
    until(() -> late.get() >= before + more, "transactions commit late");
  }

  /** How many transactions have committed late. */
  long late() {
    return late.get();
  }

  /** Ends the rollout; its end is the last event. */
  void end() throws Exception {
    lateEnough = true;
    for (Future<?> committer : committers) {
      committer.get();
    }
    told = true;
    for (Future<?> host : hosts) {
      host.get();
    }
    jdbi.useHandle(handle -> RolloutRows.ends(handle, rollout));
  }

  /**
   * The cursors of all its events, in their order. After its end nobody listens: what the auditor
   * then finds of hosts that were made up is not awaited.
   */
  List<String> cursors() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT number FROM events WHERE rollout = :id AND number <= (
                      SELECT min(number) FROM events WHERE rollout = :id AND kind = 'RolloutEnded')
                    ORDER BY number
                    """)
                .bind("id", rollout)
                .mapTo(String.class)
                .list());
  }

  static void until(BooleanSupplier condition, String what) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  @Override
  public void close() {
    seen.set(Long.MAX_VALUE);
    lateEnough = true;
    told = true;
    threads.close();
  }
}
