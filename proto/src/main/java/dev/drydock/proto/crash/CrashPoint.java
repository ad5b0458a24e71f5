package dev.drydock.proto.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Named points between two steps of the protocol at which a test may kill the process, as a power
 * cut would. Armed by the environment variable {@code DRYDOCK_CRASH_AT}, one name or several with
 * commas between; without it a point costs one look-up. Server and adapters share it; the host
 * operator has the same in Python.
 *
 * <p>A point fires once per state directory: it leaves {@code run/crash-hit-NAME} behind, which
 * tells the test that it was hit and keeps the restarted process from dying again.
 *
 * <p>Named alone, {@code ordered} lets a test arm points while the process runs, by {@link
 * CrashOrders}.
 */
public final class CrashPoint {
  private static final Set<String> ARMED =
      Set.copyOf(List.of(System.getenv().getOrDefault("DRYDOCK_CRASH_AT", "").split(",")));

  private static final boolean ORDERED = ARMED.contains("ordered");

  private static volatile Path stateDirectory =
      Path.of(System.getenv().getOrDefault("DRYDOCK_STATE_DIR", ".drydock"));

  private CrashPoint() {}

  /** Where the mark of a hit is left; set once when the server starts. */
  public static void stateDirectory(Path directory) {
    stateDirectory = directory;
  }

  /** Whether any point may ever do anything in this process. */
  public static boolean anyArmed() {
    return !ARMED.equals(Set.of(""));
  }

  /** Does nothing, or ends the process without any clean-up. */
  public static void reach(String name) {
    boolean dies =
        ORDERED
            ? new CrashOrders(stateDirectory.resolve("run")).meet(name)
            : ARMED.contains(name) && firstHit(name);
    if (dies) {
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
