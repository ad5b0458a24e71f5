package dev.drydock.adapter.spi;

import dev.drydock.api.Job;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds an adapter with the jobs of its scheduler: different hosts side by side up to a limit, one
 * job per host at a time. Started once, closed once.
 *
 * <p>Safe against being killed at any moment: nothing is remembered here. A job whose consumer died
 * comes back after lease and margin with a higher attempt.
 */
public final class AdapterLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdapterLoop.class);
  private static final long POLL_MILLIS = 250;
  private static final int HOSTS_AT_ONCE = 32;
  private static final Duration LAST_WORDS = Duration.ofSeconds(10);

  private final SchedulerAdapter adapter;
  private final Board board;
  private final JobRun run;
  private final Thread poller;
  private final ExecutorService jobs = Executors.newVirtualThreadPerTaskExecutor();
  private final Set<String> busyHosts = new HashSet<>();

  /**
   * @param consumer name of this process, for people who look for it
   */
  public AdapterLoop(SchedulerAdapter adapter, Board board, LeaseClock clock, String consumer) {
    this.adapter = adapter;
    this.board = board;
    this.run = new JobRun(adapter, board, clock, consumer);
    this.poller = Thread.ofPlatform().name("jobs of " + adapter.scheduler()).unstarted(this::poll);
  }

  public AdapterLoop start() {
    poller.start();
    return this;
  }

  private void poll() {
    Outage outage = new Outage(LOG, "asking for jobs");
    try {
      while (true) {
        try {
          offer(board.claimable("scheduler/" + adapter.scheduler(), HOSTS_AT_ONCE));
          outage.worked();
        } catch (RuntimeException e) {
          outage.failed(e);
        }
        Thread.sleep(outage.pauseMillis(POLL_MILLIS));
      }
    } catch (InterruptedException e) {
      LOG.info("asks for no more jobs");
    }
  }

  private void offer(List<Job> claimable) {
    for (Job job : claimable) {
      if (occupy(job.getHost())) {
        jobs.execute(
            () -> {
              try {
                run.run(job);
              } finally {
                leave(job.getHost());
              }
            });
      }
    }
  }

  private boolean occupy(String host) {
    synchronized (busyHosts) {
      return busyHosts.size() < HOSTS_AT_ONCE && busyHosts.add(host);
    }
  }

  private void leave(String host) {
    synchronized (busyHosts) {
      busyHosts.remove(host);
    }
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
