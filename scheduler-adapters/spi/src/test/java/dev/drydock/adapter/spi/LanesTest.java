package dev.drydock.adapter.spi;

import static dev.drydock.adapter.spi.AdapterLoopTest.await;
import static dev.drydock.adapter.spi.AdapterLoopTest.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Job;
import dev.drydock.api.JobStep;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nobody who comes back into service waits behind drains. */
@Timeout(30)
final class LanesTest {
  private final FakeBoard board = new FakeBoard();

  @Test
  void whoComesBackIntoServiceDoesNotWaitForDrainsThatWait() {
    assertThat(recoversBeside(AdapterLoop.HOSTS_AT_ONCE, lanes())).isTrue();
  }

  /** The control: in one lane it waits until a drain has ended. */
  @Test
  void withoutLanesItWaits() {
    List<JobStep> all = lanes().stream().flatMap(List::stream).toList();
    assertThat(recoversBeside(AdapterLoop.HOSTS_AT_ONCE, List.of(all))).isFalse();
    board.results.clear();
  }

  @Test
  void noStepOfAnAdapterIsWithoutALane() {
    assertThat(lanes().stream().flatMap(List::stream))
        .containsExactlyInAnyOrder(
            JobStep.Cordon, JobStep.Drain, JobStep.Recover, JobStep.Uncordon);
  }

  private static List<List<JobStep>> lanes() {
    return Stream.of(Lane.values()).map(Lane::steps).toList();
  }

  /** Whether a host recovers while so many drains wait for requests that do not end. */
  private boolean recoversBeside(int drains, List<List<JobStep>> lanes) {
    CountDownLatch ended = new CountDownLatch(1);
    AtomicInteger draining = new AtomicInteger();
    FakeAdapter adapter =
        new FakeAdapter(
            work -> {
              if (work.job().getStep() == JobStep.Drain) {
                draining.incrementAndGet();
                ended.await();
              }
              return done();
            });
    for (int i = 0; i < drains + 8; i++) {
      board.add("drains%02d".formatted(i), JobStep.Drain);
    }
    try (AdapterLoop loop =
        new AdapterLoop(adapter, board, new ProcUptimeClock(), "test", lanes).start()) {
      await(() -> draining.get() == drains);
      Job recover = board.add("h99", JobStep.Recover);
      int polls = board.polls.get();
      await(
          () ->
              board.result(recover.getId()).hasOutcome()
                  || (lanes.size() == 1 && busyFor(loop, polls)));
      boolean recovered = board.result(recover.getId()).hasOutcome();
      ended.countDown();
      return recovered;
    }
  }

  /** One that is full does not even ask. */
  private boolean busyFor(AdapterLoop loop, int polls) {
    return loop.busy().free(lanes().stream().flatMap(List::stream).toList()) == 0
        && board.polls.get() == polls;
  }
}
