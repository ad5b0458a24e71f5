package dev.drydock.adapter.spi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CLOCK_BOOTTIME of Linux as /proc/uptime shows it, in steps of 10 ms. Thread-safe. */
public final class ProcUptimeClock implements LeaseClock {
  private static final Path UPTIME = Path.of("/proc/uptime");

  @Override
  public long millis() {
    try {
      return parse(Files.readString(UPTIME));
    } catch (IOException e) {
      // Without a clock no lease can be judged: whoever asks must not go on.
      throw new UncheckedIOException(
          "cannot read " + UPTIME + "; leases need a clock that counts suspend", e);
    }
  }

  static long parse(String uptime) {
    String seconds = uptime.substring(0, uptime.indexOf(' '));
    int point = seconds.indexOf('.');
    return Long.parseLong(seconds.substring(0, point)) * 1000
        + Long.parseLong(seconds.substring(point + 1)) * 10;
  }
}
