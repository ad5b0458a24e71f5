package dev.drydock.platform.rounds;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that does its duties again and again until it is closed. Whatever comes out of a round
 * is logged and ends nothing: what was not done is only late until the next one. An executor of the
 * JDK would drop the duty for the life of the process, and say nothing.
 */
public final class DutyLoop implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DutyLoop.class);

  private final ScheduledExecutorService thread;

  /**
   * Without duties yet. What must not wait for a duty that takes long needs a thread of its own.
   *
   * @param name of the thread
   */
  public DutyLoop(String name) {
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name(name).factory());
  }

  /**
   * A first round after a pause, and then one after each pause.
   *
   * @param what it does, to follow "could not"
   */
  public void every(Duration pause, String what, Runnable duty) {
    repeat(pause, pause, what, duty);
  }

  /** A first round at once, and then one after each pause. */
  public void nowAndEvery(Duration pause, String what, Runnable duty) {
    repeat(Duration.ZERO, pause, what, duty);
  }

  private void repeat(Duration first, Duration pause, String what, Runnable duty) {
    thread.scheduleWithFixedDelay(
        () -> round(what, duty), first.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void round(String what, Runnable duty) {
    try {
      duty.run();
    } catch (RuntimeException | Error failed) {
      if (!thread.isShutdown()) {
        log.warn("could not {}, the next round repeats it", what, failed);
      }
    }
  }

  /** No round begins any more; one that is under way is interrupted. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
