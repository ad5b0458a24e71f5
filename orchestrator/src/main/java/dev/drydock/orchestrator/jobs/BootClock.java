package dev.drydock.orchestrator.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Time since boot, time asleep included (Linux' CLOCK_BOOTTIME, to 10 ms). Unlike the clock of the
 * database, nobody can set it.
 */
@FunctionalInterface
interface BootClock {
  Duration sinceBoot();

  static BootClock system() {
    Path uptime = Path.of("/proc/uptime");
    return () -> {
      try {
        String seconds = Files.readString(uptime).split(" ", 2)[0];
        return Duration.ofNanos(new BigDecimal(seconds).movePointRight(9).longValueExact());
      } catch (IOException unreadable) {
        throw new UncheckedIOException("cannot read " + uptime, unreadable);
      }
    };
  }
}
