package dev.drydock.proto.clock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What {@code /proc/uptime} says, in steps of 10 ms. Asked for every lock of a program, it is read
 * at most once in a millisecond that the program ran: an answer is as old as if its reader had been
 * held up for that long. Thread-safe.
 */
final class Uptime implements BootClock {
  private static final Path FILE = Path.of("/proc/uptime");
  private static final long KEPT_NANOS = 1_000_000;

  private final LongSupplier running;
  private final Supplier<Duration> kernel;
  private volatile @Nullable Reading last;

  Uptime() {
    this(System::nanoTime, Uptime::read);
  }

  /**
   * @param running nanoseconds of a clock that may stand still while the machine is suspended
   * @param kernel time since boot
   */
  Uptime(LongSupplier running, Supplier<Duration> kernel) {
    this.running = running;
    this.kernel = kernel;
  }

  /**
   * @param at by the clock that may stand still, before it was read
   */
  private record Reading(long at, Duration sinceBoot) {}

  @Override
  public Duration sinceBoot() {
    Reading reading = last;
    long now = running.getAsLong();
    if (reading == null || now - reading.at() >= KEPT_NANOS) {
      reading = new Reading(now, kernel.get());
      last = reading;
    }
    return reading.sinceBoot();
  }

  private static Duration read() {
    try {
      String seconds = Files.readString(FILE).split(" ", 2)[0];
      return Duration.ofNanos(new BigDecimal(seconds).movePointRight(9).longValueExact());
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot read " + FILE, unreadable);
    }
  }
}
