package dev.drydock.adapter.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.api.HealthState;
import dev.drydock.api.Job;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.proto.client.CallException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class AdapterLoopTest {
  private final FakeBoard board = new FakeBoard();

  private AdapterLoop loop(FakeAdapter.Step step) {
    return new AdapterLoop(new FakeAdapter(step), board, new ProcUptimeClock(), "test").start();
  }

  static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertThat(Thread.interrupted()).as("waited too long").isFalse();
      LockSupport.parkNanos(10_000_000);
    }
  }

  static StepOutcome done() {
    return new StepOutcome.Done(
        "done", Map.of("fact", "1"), Optional.of(new HostReading(7, List.of())));
  }

  @Test
  void reportsWhatAStepReturned() {
    Job drain = board.add("h01", JobStep.Drain);
    Job cordon = board.add("h02", JobStep.Cordon);
    try (AdapterLoop loop =
        loop(
            work ->
                work.job().getStep() == JobStep.Drain ? new StepOutcome.Failed("no") : done())) {
      await(
          () ->
              board.result(drain.getId()).hasOutcome()
                  && board.result(cordon.getId()).hasOutcome());
    }
    assertThat(board.result(drain.getId()).getOutcome()).isEqualTo(JobOutcome.Failed);
    assertThat(board.result(cordon.getId()).getOutcome()).isEqualTo(JobOutcome.Done);
    assertThat(board.result(cordon.getId()).getMark()).isEqualTo(7);
    assertThat(board.result(cordon.getId()).getFacts()).containsEntry("fact", "1");
  }

  @Test
  void countsWhatItClaimedAndHowItEnded() throws IOException, InterruptedException {
    Job cordon = board.add("h01", JobStep.Cordon);
    Job drain = board.add("h02", JobStep.Drain);
    double claimed = JobMetrics.CLAIMED.labelValues("Cordon").get();
    double done = JobMetrics.ENDED.labelValues("Cordon", "Done").get();
    double failed = JobMetrics.ENDED.labelValues("Drain", "Failed").get();
    try (AdapterLoop loop =
        loop(
            work ->
                work.job().getStep() == JobStep.Drain ? new StepOutcome.Failed("no") : done())) {
      await(
          () ->
              board.result(drain.getId()).hasOutcome()
                  && board.result(cordon.getId()).hasOutcome());
    }
    assertThat(JobMetrics.CLAIMED.labelValues("Cordon").get()).isEqualTo(claimed + 1);
    assertThat(JobMetrics.ENDED.labelValues("Cordon", "Done").get()).isEqualTo(done + 1);
    assertThat(JobMetrics.ENDED.labelValues("Drain", "Failed").get()).isEqualTo(failed + 1);

    com.sun.net.httpserver.HttpServer server = JobMetrics.serve("127.0.0.1:0");
    try (HttpClient client = HttpClient.newHttpClient()) {
      URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/metrics");
      assertThat(
              client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body())
          .contains("drydock_consumer_jobs_claimed_total{step=\"Cordon\"} ")
          .contains("drydock_consumer_job_seconds_count{step=\"Drain\"} ");
    } finally {
      server.stop(0);
    }
    assertThatThrownBy(() -> JobMetrics.serve("9100")).hasMessageContaining("HOST:PORT");
  }

  @Test
  void worksOnDifferentHostsSideBySide() {
    CountDownLatch both = new CountDownLatch(2);
    board.add("h01", JobStep.Cordon);
    board.add("h02", JobStep.Cordon);
    try (AdapterLoop loop =
        loop(
            work -> {
              both.countDown();
              both.await();
              return done();
            })) {
      await(() -> board.results.size() == 2);
    }
  }

  @Test
  void worksOnOneJobPerHostAtATime() {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    board.add("h01", JobStep.Cordon);
    board.add("h01", JobStep.Uncordon);
    try (AdapterLoop loop =
        loop(
            work -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              int polls = board.polls.get();
              await(() -> board.polls.get() > polls + 1);
              now.decrementAndGet();
              return done();
            })) {
      await(() -> board.results.size() == 2);
    }
    assertThat(most.get()).isEqualTo(1);
  }

  /** Whenever it was published, and whatever the time is here: the board renews deadlines. */
  @Test
  void hasTheTimeTheBoardSaysIsLeft() {
    AtomicReference<Duration> left = new AtomicReference<>();
    Job recover = board.add("h01", JobStep.Recover);
    recover.setSecondsLeft(900).setCreatedAt(System.currentTimeMillis() - 3_600_000);
    try (AdapterLoop loop =
        loop(
            work -> {
              left.set(work.remaining());
              return done();
            })) {
      await(() -> board.result(recover.getId()).hasOutcome());
    }
    assertThat(left.get()).isBetween(Duration.ofSeconds(750), Duration.ofSeconds(810));
  }

  @Test
  void keepsItsClaimAliveWhileTheStepRuns() {
    board.leaseSeconds = 3; // A busy machine may stop us for a second or two.
    Job job = board.add("h01", JobStep.Drain);
    try (AdapterLoop loop =
        loop(
            work -> {
              await(() -> board.heartbeats.get() >= 4);
              work.lease().requireLive();
              return done();
            })) {
      await(() -> board.result(job.getId()).hasOutcome());
    }
  }

  @Test
  void tellsWhatIsLeftWithItsHeartbeatsAndItsFailure() {
    board.leaseSeconds = 9; // Beats after three.
    Job job = board.add("h01", JobStep.Drain);
    try (AdapterLoop loop =
        loop(
            work -> {
              work.left(7, "requests");
              await(() -> board.told == 7);
              work.left(5, "requests");
              return new StepOutcome.Failed("still 5 open requests");
            })) {
      await(() -> board.result(job.getId()).hasOutcome());
    }
    assertThat(Objects.requireNonNull(board.result(job.getId()).getLeft()).getCount()).isEqualTo(5);
  }

  @Test
  void startsNoEffectAndReportsNothingOnceItsLeaseEnded() {
    board.leaseSeconds = 1;
    board.heartbeatFault =
        Optional.of(new CallException(0, CallException.UNREACHABLE, "no connection", List.of()));
    AtomicReference<String> effect = new AtomicReference<>("none");
    CountDownLatch over = new CountDownLatch(1);
    Job job = board.add("h01", JobStep.Drain);
    try (AdapterLoop loop =
        loop(
            work -> {
              try {
                await(() -> !work.lease().isLive());
                work.lease().requireLive();
                effect.set("stopped the services");
                return done();
              } finally {
                over.countDown();
              }
            })) {
      await(() -> over.getCount() == 0);
    }
    assertThat(effect.get()).isEqualTo("none");
    assertThat(board.result(job.getId()).hasOutcome()).isFalse();
  }

  @Test
  void aClaimTheBoardGaveAwayIsLostAtOnce() {
    board.leaseSeconds = 3;
    board.heartbeatFault =
        Optional.of(new CallException(409, "CLAIM_LOST", "not the current claim", List.of()));
    CountDownLatch over = new CountDownLatch(1);
    board.add("h01", JobStep.Drain);
    try (AdapterLoop loop =
        loop(
            work -> {
              await(() -> !work.lease().isLive());
              over.countDown();
              work.lease().requireLive();
              return done();
            })) {
      await(() -> over.getCount() == 0);
    }
    assertThat(board.heartbeats.get()).isEqualTo(1);
    assertThat(board.results).isEmpty();
  }

  @Test
  void aBrokenStepLeavesTheHostUnknown() {
    Job job = board.add("h01", JobStep.Recover);
    try (AdapterLoop loop =
        loop(
            work -> {
              throw new IllegalStateException("planted");
            })) {
      await(() -> board.result(job.getId()).hasOutcome());
    }
    assertThat(board.result(job.getId()).getOutcome()).isEqualTo(JobOutcome.Unknown);
    assertThat(board.result(job.getId()).getMessage()).contains("planted");
  }

  @Test
  void fetchesTheMarkBeforeItReads() throws InterruptedException {
    FakeAdapter adapter = new FakeAdapter(work -> done());
    AtomicLong fetched = new AtomicLong();
    adapter.onObserve = () -> fetched.set(board.marks.get());
    new InventoryLoop(adapter, board).reportOnce();
    assertThat(fetched.get()).isEqualTo(1);
    assertThat(board.reports.getFirst().getMark()).isEqualTo(1);
    assertThat(board.reports.getFirst().isFull()).isTrue();
  }

  @Test
  void asksForJobsOnceTheServerKnowsHowItsInstancesAre() throws InterruptedException {
    FakeAdapter adapter = new FakeAdapter(work -> done());
    adapter.health = HealthState.Unknown;
    Job drain = board.add("h01", JobStep.Drain);
    InventoryLoop inventory = new InventoryLoop(adapter, board);
    try (AdapterLoop loop =
        new AdapterLoop(adapter, board, new ProcUptimeClock(), "test").startAfter(inventory)) {
      inventory.reportOnce();
      LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
      assertThat(board.polls).hasValue(0);
      adapter.health = HealthState.Healthy;
      inventory.reportOnce();
      await(() -> board.result(drain.getId()).hasOutcome());
    }
  }

  @Test
  void anInstanceThatStaysUnknownKeepsNoJobWaiting() throws InterruptedException {
    FakeAdapter adapter = new FakeAdapter(work -> done());
    adapter.health = HealthState.Unknown;
    Job drain = board.add("h01", JobStep.Drain);
    InventoryLoop inventory = new InventoryLoop(adapter, board);
    try (AdapterLoop loop =
        new AdapterLoop(adapter, board, new ProcUptimeClock(), "test").startAfter(inventory)) {
      for (int report = 1; report <= InventoryLoop.FIRST_REPORTS; report++) {
        inventory.reportOnce();
      }
      await(() -> board.result(drain.getId()).hasOutcome());
    }
  }
}
