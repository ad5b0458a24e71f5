package dev.drydock.proto.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * What a test wants of crash points while the process runs: one file for each point.
 *
 * <ol>
 *   <li>{@code crash-order-NAME} with the word {@code die} or {@code stand} in it arms the point.
 *   <li>Who reaches it first makes it {@code crash-met-NAME}, and dies or stands still.
 *   <li>Who stands goes on when that file is gone, or after a few seconds: another process, which
 *       the test kills meanwhile, must not take this one's steps beyond their time.
 * </ol>
 *
 * @param folder where these files are
 */
record CrashOrders(Path folder) {
  private static final Duration STAND = Duration.ofSeconds(8);
  private static final Duration LOOK = Duration.ofMillis(20);

  /** Does what was ordered of the point; whether that is to die. */
  boolean meet(String name) {
    Path met = folder.resolve("crash-met-" + name);
    try {
      // By one of all threads and processes, and once.
      Files.move(folder.resolve("crash-order-" + name), met);
      if (Files.readString(met).strip().equals("die")) {
        return true;
      }
    } catch (NoSuchFileException notOrdered) {
      return false;
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot follow the order for crash point " + name, unreadable);
    }
    long end = System.nanoTime() + STAND.toNanos();
    while (Files.exists(met) && System.nanoTime() < end) {
      LockSupport.parkNanos(LOOK.toNanos());
    }
    return false;
  }
}
