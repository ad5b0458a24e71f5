package dev.drydock.lock.etcd;

import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands for election, and while elected runs pass after pass: when something changed, when poked,
 * and at an interval as safety net. No failure ends it; a failing pass is repeated with growing
 * pauses. {@link #poke} may be called by any thread.
 */
final class GrantorLoop implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GrantorLoop.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration PAUSE_MIN = Duration.ofMillis(100);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

  private final GrantorParts parts;
  private final GrantorShell shell;
  private final Election election;
  private final ChangeWatch watch;
  private final Semaphore pokes = new Semaphore(0);
  private final Thread thread;
  private volatile boolean open = true;
  private volatile @Nullable Leadership leading;
  private Duration pause = PAUSE_MIN;

  GrantorLoop(GrantorParts parts, BootClock clock, String name) {
    this.parts = parts;
    shell = new GrantorShell(parts);
    election = new Election(parts.etcd(), clock, name);
    watch = new ChangeWatch(parts.etcd(), this::poke);
    thread = Thread.ofPlatform().name("grantor-" + name).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Something may have changed: decide again soon. */
  void poke() {
    if (pokes.availablePermits() == 0) {
      pokes.release();
    }
  }

  /** The leadership while this process is the grantor. */
  Optional<Leadership> leadership() {
    return Optional.ofNullable(leading).filter(Leadership::valid);
  }

  private void run() {
    while (open) {
      try {
        Optional<Leadership> elected = election.attempt();
        if (elected.isPresent()) {
          lead(elected.get());
        } else {
          watch.ensureOpen();
          await(INTERVAL);
        }
        pause = PAUSE_MIN;
      } catch (RuntimeException failed) {
        log.error("standing for election failed and is repeated in {}", pause, failed);
        rest();
      }
    }
  }

  private void lead(Leadership leadership) {
    leading = leadership;
    parts.metrics().isGrantor.set(1);
    try (leadership) {
      while (open && (leadership.valid() || !parts.fenced())) {
        switch (pass(leadership)) {
          case DONE -> await(INTERVAL);
          case AGAIN -> poke();
          case DEPOSED -> {
            return;
          }
        }
      }
    } finally {
      leading = null;
      parts.metrics().isGrantor.set(0);
      log.info("no longer the grantor");
    }
  }

  private GrantorShell.Result pass(Leadership leadership) {
    try {
      watch.ensureOpen();
      GrantorShell.Result result = shell.pass(leadership);
      pause = PAUSE_MIN;
      return result;
    } catch (RuntimeException failed) {
      log.error("a pass failed and is repeated in {}", pause, failed);
      rest();
      return GrantorShell.Result.AGAIN;
    }
  }

  private void rest() {
    try {
      if (open) {
        Thread.sleep(pause);
      }
    } catch (InterruptedException stop) {
      open = false;
    }
    pause = pause.multipliedBy(2).compareTo(PAUSE_MAX) < 0 ? pause.multipliedBy(2) : PAUSE_MAX;
  }

  private void await(Duration longest) {
    try {
      if (pokes.tryAcquire(longest.toMillis(), TimeUnit.MILLISECONDS)) {
        pokes.drainPermits();
      }
    } catch (InterruptedException stop) {
      open = false;
    }
  }

  /** Stops deciding and hands the leadership over. */
  @Override
  public void close() {
    open = false;
    poke();
    try {
      if (!thread.join(Duration.ofSeconds(10))) {
        log.warn("the grantor did not stop within 10 s and is interrupted");
        thread.interrupt();
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
    watch.close();
  }
}
