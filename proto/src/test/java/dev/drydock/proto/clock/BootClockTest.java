package dev.drydock.proto.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

  private static Duration kernel() throws IOException {
    String seconds = Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0];
    return Duration.ofNanos(new BigDecimal(seconds).movePointRight(9).longValueExact());
  }
}
