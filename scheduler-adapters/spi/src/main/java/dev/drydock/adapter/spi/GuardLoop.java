package dev.drydock.adapter.spi;

import dev.drydock.api.HostPhase;
import dev.drydock.proto.client.CallException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps hosts out of rotation while they are worked on: a balancer that was loaded anew knows
 * nothing of that, and people put servers back by mistake. Decided each time from what the server
 * says is under way and from the rotation as it is; nothing is remembered.
 *
 * <p>A host that is drained, recovered or in nobody's hands is left alone: a step looks after the
 * first two by itself, and a quarantined one belongs to people.
 */
public final class GuardLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GuardLoop.class);
  private static final long PERIOD_MILLIS = 1000;
  private static final List<String> SLOTS = List.of("guard");

  /** From before the server was asked; longer ago its answer is worth nothing. */
  private static final Duration ANSWER_HOLDS = Duration.ofSeconds(5);

  private final SchedulerAdapter adapter;
  private final Board board;
  private final LeaseClock clock;
  private final BusyHosts busy;
  private final Thread thread;

  /**
   * @param jobs the loop beside it, whose hosts it leaves alone
   */
  public GuardLoop(SchedulerAdapter adapter, Board board, LeaseClock clock, AdapterLoop jobs) {
    this(adapter, board, clock, jobs.busy());
  }

  GuardLoop(SchedulerAdapter adapter, Board board, LeaseClock clock, BusyHosts busy) {
    this.adapter = adapter;
    this.board = board;
    this.clock = clock;
    this.busy = busy;
    this.thread =
        Thread.ofPlatform().name("rotation of " + adapter.scheduler()).unstarted(this::loop);
  }

  public GuardLoop start() {
    thread.start();
    return this;
  }

  private void loop() {
    OutageLog outageLog = new OutageLog(LOG, "keeping hosts out of rotation");
    try {
      while (true) {
        try {
          look();
          outageLog.worked();
        } catch (IOException e) {
          outageLog.failed(new UncheckedIOException(e));
        } catch (RuntimeException e) {
          outageLog.failed(e);
        }
        Thread.sleep(outageLog.pauseMillis(PERIOD_MILLIS));
      }
    } catch (InterruptedException e) {
      LOG.info("keeps no more hosts out of rotation");
    }
  }

  void look() throws IOException, InterruptedException {
    Set<String> without =
        board.underWay().entrySet().stream()
            .filter(entry -> entry.getValue() == HostPhase.Upgrade)
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
    if (without.isEmpty()) {
      return;
    }
    for (String host : adapter.admitted(without)) {
      if (busy.occupy(host, SLOTS)) {
        try {
          takeOut(host);
        } catch (LeaseLostException e) {
          LOG.warn("{} is in rotation while it is worked on; too late to change it now", host);
        } catch (IOException | CallException e) {
          LOG.warn("{} is in rotation while it is worked on: {}", host, e.getMessage());
        } finally {
          busy.leave(host);
        }
      }
    }
  }

  private void takeOut(String host) throws IOException, InterruptedException {
    Lease lease = new Lease(clock, clock.millis(), (int) ANSWER_HOLDS.toSeconds());
    if (board.phase(host).filter(HostPhase.Upgrade::equals).isEmpty()) {
      return;
    }
    List<String> taken = adapter.takeOut(host, lease);
    if (taken.isEmpty()) {
      return;
    }
    JobMetrics.REASSERTED.inc(taken.size());
    LOG.warn(
        "{}: {} was put back in rotation by somebody else while the host is worked on; it is out"
            + " again",
        host,
        taken);
    Optional<HostPhase> now = board.phase(host);
    if (now.isEmpty()) {
      // Its recovery, by another adapter, has ended between the question and the effect.
      LOG.warn("{} came back into service meanwhile; {} goes back", host, taken);
      adapter.putBack(
          host, taken, new Lease(clock, clock.millis(), (int) ANSWER_HOLDS.toSeconds()));
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
