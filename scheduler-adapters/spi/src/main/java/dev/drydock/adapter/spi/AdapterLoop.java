package dev.drydock.adapter.spi;

import dev.drydock.api.Job;
import dev.drydock.api.JobStep;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds an adapter with the jobs of its scheduler: different hosts side by side up to a limit of
 * each lane, one job per host at a time. Started once, closed once.
 *
 * <p>Safe against being killed at any moment: nothing is remembered here. A job whose consumer died
 * comes back after lease and margin with a higher attempt.
 */
public final class AdapterLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdapterLoop.class);
  private static final long POLL_MILLIS = 250;
  static final int HOSTS_AT_ONCE = 32;
  private static final Duration LAST_WORDS = Duration.ofSeconds(10);

  private final SchedulerAdapter adapter;
  private final Board board;
  private final JobRun run;
  private final Thread poller;
  private final ExecutorService jobs = Executors.newVirtualThreadPerTaskExecutor();
  private final BusyHosts busy = new BusyHosts(HOSTS_AT_ONCE);
  private final List<List<JobStep>> lanes;
  private Optional<InventoryLoop> first = Optional.empty();

  /**
   * @param consumer name of this process, for people who look for it
   */
  public AdapterLoop(SchedulerAdapter adapter, Board board, LeaseClock clock, String consumer) {
    this(adapter, board, clock, consumer, Stream.of(Lane.values()).map(Lane::steps).toList());
  }

  /**
   * @param lanes steps that share their slots
   */
  AdapterLoop(
      SchedulerAdapter adapter,
      Board board,
      LeaseClock clock,
      String consumer,
      List<List<JobStep>> lanes) {
    this.lanes = lanes;
    this.adapter = adapter;
    this.board = board;
    this.run = new JobRun(adapter, board, clock, consumer);
    this.poller = Thread.ofPlatform().name("jobs of " + adapter.scheduler()).unstarted(this::poll);
  }

  public AdapterLoop start() {
    poller.start();
    return this;
  }

  /**
   * Starts it; jobs are asked for once the server knows what this adapter sees. A drain that an
   * earlier process left would otherwise be judged by a stale view, and given up.
   */
  public AdapterLoop startAfter(InventoryLoop inventory) {
    first = Optional.of(inventory);
    return start();
  }

  private void poll() {
    OutageLog outageLog = new OutageLog(LOG, "asking for jobs");
    try {
      if (first.isPresent()) {
        first.get().awaitKnown();
      }
      while (true) {
        try {
          for (List<JobStep> lane : lanes) {
            if (busy.free(lane) > 0) {
              offer(board.claimable("scheduler/" + adapter.scheduler(), lane, HOSTS_AT_ONCE), lane);
            }
          }
          outageLog.worked();
        } catch (RuntimeException e) {
          outageLog.failed(e);
        }
        Thread.sleep(outageLog.pauseMillis(POLL_MILLIS));
      }
    } catch (InterruptedException e) {
      LOG.info("asks for no more jobs");
    }
  }

  private void offer(List<Job> claimable, List<JobStep> lane) {
    for (Job job : claimable) {
      if (busy.occupy(job.getHost(), lane)) {
        jobs.execute(
            () -> {
              try {
                run.run(job);
              } finally {
                busy.leave(job.getHost());
              }
            });
      }
    }
  }

  /** Hosts this loop works on, for who acts on others beside it. */
  BusyHosts busy() {
    return busy;
  }

  /**
   * Claims nothing more, gives running steps a moment to end, and leaves the rest to the next
   * attempt.
   */
  @Override
  public void close() {
    poller.interrupt();
    jobs.shutdown();
    try {
      if (!jobs.awaitTermination(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("jobs still run and are left to their next attempt");
        jobs.shutdownNow();
      }
    } catch (InterruptedException e) {
      jobs.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
