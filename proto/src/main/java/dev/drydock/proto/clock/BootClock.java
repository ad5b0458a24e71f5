package dev.drydock.proto.clock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Time since boot, time asleep included (Linux' CLOCK_BOOTTIME, to 10 ms). Leases are measured by
 * it: nobody can set it, and unlike {@code System.nanoTime} it does not stand still while the
 * machine is suspended. Thread-safe; throws when the kernel does not tell.
 */
@FunctionalInterface
public interface BootClock {
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
