package dev.drydock.proto.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BootClockTest {
  private final BootClock clock = BootClock.system();

  @Test
  void tellsWhatTheKernelTells() throws IOException {
    Duration before = kernel();
    assertThat(clock.sinceBoot()).isBetween(before, kernel());
  }

  @Test
  @Timeout(20)
  void movesOnThoughItDoesNotAskEachTime() throws IOException {
    clock.sinceBoot();
    Duration later = kernel().plusMillis(50);
    while (kernel().compareTo(later) < 0) {
      Thread.onSpinWait();
    }
    while (clock.sinceBoot().compareTo(later) < 0) {
      Thread.onSpinWait();
    }
  }

  /** Whoever wakes up after a minute must not go on for longer by a lease that is over. */
  @Test
  void isNeverOlderThanAMillisecondOfRunning() {
    AtomicLong running = new AtomicLong(Long.MAX_VALUE);
    AtomicReference<Duration> told = new AtomicReference<>(Duration.ofSeconds(5));
    BootClock kept = new Uptime(running::get, told::get);
    assertThat(kept.sinceBoot()).hasSeconds(5);
    told.set(Duration.ofSeconds(65));
    running.addAndGet(999_999);
    assertThat(kept.sinceBoot()).as("it is kept").hasSeconds(5);
    running.incrementAndGet();
    assertThat(kept.sinceBoot()).hasSeconds(65);
  }

  private static Duration kernel() throws IOException {
    String seconds = Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0];
    return Duration.ofNanos(new BigDecimal(seconds).movePointRight(9).longValueExact());
  }
}
