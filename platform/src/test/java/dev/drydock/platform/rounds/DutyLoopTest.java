package dev.drydock.platform.rounds;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DutyLoopTest {
  private static final Duration SOON = Duration.ofMillis(5);

  @Test
  void whateverComesOutOfARoundEndsNoDuty() throws InterruptedException {
    LinkedBlockingQueue<Integer> begun = new LinkedBlockingQueue<>();
    CountDownLatch other = new CountDownLatch(3);
    try (DutyLoop dutyLoop = new DutyLoop("test")) {
      AtomicInteger count = new AtomicInteger();
      dutyLoop.nowAndEvery(
          SOON,
          "count",
          () -> {
            int round = count.incrementAndGet();
            begun.add(round);
            if (round == 1) {
              throw new IllegalStateException("the database is starting up");
            }
            if (round == 2) {
              throw new StackOverflowError("of a test");
            }
          });
      dutyLoop.every(SOON, "do the other", other::countDown);
      for (int round = 1; round <= 4; round++) {
        assertThat(begun.poll(10, TimeUnit.SECONDS)).isEqualTo(round);
      }
      assertThat(other.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void endsWithItsOwner() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    DutyLoop dutyLoop = new DutyLoop("test");
    dutyLoop.nowAndEvery(
        SOON,
        "wait",
        () -> {
          begun.countDown();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException closing) {
            interrupted.countDown();
          }
        });
    assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
    dutyLoop.close();
    assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
  }
}
