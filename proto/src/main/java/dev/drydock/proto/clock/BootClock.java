package dev.drydock.proto.clock;

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
    return new Uptime();
  }
}
