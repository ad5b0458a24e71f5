package dev.drydock.platform.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * Named points between two steps of the protocol at which a test may kill the server, as a power
 * cut would. Armed by the environment variable {@code DRYDOCK_CRASH_AT}; without it a point costs
 * one comparison.
 *
 * <p>A point fires once per state directory: it leaves {@code run/crash-hit-NAME} behind, which
 * tells the test that it was hit and keeps the restarted server from dying again.
 */
public final class CrashPoint {
  private static final String ARMED = System.getenv().getOrDefault("DRYDOCK_CRASH_AT", "");

  private static volatile Path stateDirectory =
      Path.of(System.getenv().getOrDefault("DRYDOCK_STATE_DIR", ".drydock"));

  private CrashPoint() {}

  /** Where the mark of a hit is left; set once when the server starts. */
  public static void stateDirectory(Path directory) {
    stateDirectory = directory;
  }

  /** Does nothing, or ends the process without any clean-up. */
  public static void reach(String name) {
    if (ARMED.equals(name) && firstHit(name)) {
      killSelf();
    }
  }

  private static boolean firstHit(String name) {
    try {
      Path run = Files.createDirectories(stateDirectory.resolve("run"));
      Files.createFile(run.resolve("crash-hit-" + name));
      return true;
    } catch (FileAlreadyExistsException again) {
      return false;
    } catch (IOException unwritable) {
      throw new UncheckedIOException("cannot mark crash point " + name, unwritable);
    }
  }

  private static void killSelf() {
    try {
      new ProcessBuilder("kill", "-KILL", Long.toString(ProcessHandle.current().pid())).start();
    } catch (IOException noKill) {
      Runtime.getRuntime().halt(137);
    }
    while (true) {
      LockSupport.park();
    }
  }
}
