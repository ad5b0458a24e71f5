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
 * when nobody can believe in an expired lock any more, and at an interval as safety net. No failure
 * ends it; a failing pass is repeated with growing pauses. {@link #poke} may be called by any
 * thread.
 */
final class GrantorLoop implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GrantorLoop.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration PAUSE_MIN = Duration.ofMillis(100);

  /** What came in between once is over by now. */
  private static final Duration PAUSE_SHORT = Duration.ofMillis(2);

  private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

  /**
   * A pass over rollouts looks at all that wait, and each of its grants soon asks for another pass:
   * so many times as long as it took the changes after it are gathered, so that however large the
   * fleet most of the machine is left to the work itself.
   */
  private static final int GATHERED = 3;

  private static final Duration GATHERED_MAX = Duration.ofMillis(250);

  private final GrantorDependencies parts;
  private final GrantorRunner shell;
  private final Election election;
  private final GrantorView view;
  private final Semaphore pokes = new Semaphore(0);
  private final Thread thread;
  private volatile boolean open = true;
  private volatile boolean everything = true;
  private volatile @Nullable Leadership leading;
  private Duration pause = Duration.ZERO;
  private long lastDue = System.nanoTime();

  GrantorLoop(GrantorDependencies parts, BootClock clock, String name) {
    this.parts = parts;
    view = new GrantorView(this::wake);
    shell = new GrantorRunner(parts, view);
    election = new Election(parts.etcd(), clock, name);
    thread = Thread.ofPlatform().name("grantor-" + name).unstarted(this::run);
  }

  void start() {
    parts.mirror().follow(view);
    thread.start();
  }

  /** Something that etcd does not tell of may have changed: look at everything soon. */
  void poke() {
    everything = true;
    wake();
  }

  private void wake() {
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
        stand();
        pause = Duration.ZERO;
      } catch (RuntimeException | Error failed) {
        rest(PAUSE_MIN, "standing for election failed", failed);
      }
    }
  }

  /** Every change wakes this: etcd is only asked when the mirror says that nobody leads. */
  private void stand() {
    view.forward(parts.mirror());
    boolean attempt = view.replica().leader() == 0 || due();
    Optional<Leadership> elected = attempt ? election.attempt() : Optional.empty();
    if (elected.isPresent()) {
      lead(elected.get());
    } else {
      await();
    }
  }

  private void lead(Leadership leadership) {
    shell.elected(leadership);
    leading = leadership;
    parts.metrics().isGrantor.set(1);
    try (leadership) {
      while (open && (leadership.valid() || !parts.fenced())) {
        switch (pass(leadership)) {
          case DONE -> await();
          case MORE, REPEAT -> {}
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

  private GrantorRunner.Result pass(Leadership leadership) {
    long began = System.nanoTime();
    try {
      GrantorRunner.Result result = shell.pass(leadership, due());
      if (result == GrantorRunner.Result.REPEAT) {
        rest(PAUSE_SHORT);
      } else {
        pause = Duration.ZERO;
      }
      if (result == GrantorRunner.Result.DONE && shell.rolloutsRun()) {
        gather(Duration.ofNanos(System.nanoTime() - began).multipliedBy(GATHERED));
      }
      return result;
    } catch (RuntimeException | Error failed) {
      rest(PAUSE_MIN, "a pass failed", failed);
      return GrantorRunner.Result.REPEAT;
    }
  }

  private void gather(Duration wanted) {
    sleep(wanted.compareTo(GATHERED_MAX) < 0 ? wanted : GATHERED_MAX);
  }

  private void rest(Duration first, String what, Throwable failed) {
    log.error("{} and is repeated soon", what, failed);
    rest(first);
  }

  /** Longer and longer, until something succeeds. */
  private void rest(Duration first) {
    Duration longer = pause.multipliedBy(2);
    pause = longer.compareTo(first) < 0 ? first : longer;
    pause = pause.compareTo(PAUSE_MAX) < 0 ? pause : PAUSE_MAX;
    sleep(pause);
  }

  private void sleep(Duration time) {
    try {
      if (open) {
        Thread.sleep(time);
      }
    } catch (InterruptedException stop) {
      open = false;
    }
  }

  /** Whether somebody asked for a look at everything, or the last one is long ago. */
  private boolean due() {
    boolean due = everything || System.nanoTime() - lastDue > INTERVAL.toNanos();
    if (due) {
      everything = false;
      lastDue = System.nanoTime();
    }
    return due;
  }

  private void await() {
    try {
      // A moment later than it is due it is due for certain.
      long millis = 1 + parts.delays().next(INTERVAL).toMillis();
      if (pokes.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
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
    parts.mirror().unfollow(view);
  }
}
