package dev.drydock.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A command in a process group of its own, and beside it a guard that ends the group (TERM, then
 * KILL) as soon as it is told to, or hears nothing for as long as the command was told to go on: so
 * also when this process is killed or stands still. The command begins only once its guard runs.
 * Safe for use by many threads.
 */
final class GuardedCommand implements AutoCloseable {
  /** Arguments: the file that opens the gate, and the command. */
  private static final String GATE =
      """
      gate=$1; shift
      for i in $(seq 200); do
        if [ -e "$gate" ]; then exec "$@"; fi
        sleep 0.05
      done
      exit 125
      """;

  /** What ends the group: TERM, and KILL when tenths of a second are over. */
  private static final String END =
      """
      kill -TERM -- "-$group" 2>/dev/null || exit "$code"
      while [ "$grace" -gt 0 ]; do
        kill -0 -- "-$group" 2>/dev/null || exit "$code"
        sleep 0.1
        grace=$((grace - 1))
      done
      kill -KILL -- "-$group" 2>/dev/null
      exit "$code"
      """;

  /** The end alone. Arguments: the group, tenths of a second between TERM and KILL. */
  private static final String UNGUARDED = "group=$1 grace=$2 code=0\n" + END;

  /**
   * Arguments: the file that opens the gate, the group, tenths of a second between TERM and KILL,
   * seconds to go on at first. Ends with {@link #SILENCE} when it heard nothing for too long.
   */
  private static final String GUARD =
      """
      : >"$1" || exit 1
      group=$2 grace=$3 left=$4 told=0
      while [ "$told" -eq 0 ]; do
        IFS= read -r -t "$left" word
        told=$?
        left=$word
      done
      code=0
      if [ "$told" -gt 128 ]; then code=3; fi
      """
          + END;

  private static final int SILENCE = 3;

  private final Path folder;
  private final Process command;
  private final Process guard;
  private final OutputStream orders;
  private final Duration grace;

  /**
   * Starts it.
   *
   * @param variables added to its environment
   * @param grace between TERM and KILL
   * @param left how long it may go on without another {@link #goOn}
   * @throws CommandFailure when it cannot be started
   */
  GuardedCommand(List<String> words, Map<String, String> variables, Duration grace, Duration left) {
    this.grace = grace;
    try {
      folder = Files.createTempDirectory("drydock-run-");
      String gate = folder.resolve("gate").toString();
      ProcessBuilder builder = builder("sh", GATE, gate, words).inheritIO();
      builder.environment().putAll(variables);
      command = builder.start();
      guard = silently(builder("bash", GUARD, gate, List.of(group(), tenths(), seconds(left))));
    } catch (IOException missing) {
      throw new CommandFailure(
          ExitCode.FAILED,
          List.of(),
          "cannot start the command, for which setsid, sh and bash are needed: "
              + missing.getMessage());
    }
    orders = guard.getOutputStream();
  }

  private static ProcessBuilder builder(
      String shell, String script, String first, List<String> arguments) {
    List<String> line =
        new ArrayList<>(List.of("setsid", shell, "-c", script, "drydock-run", first));
    line.addAll(arguments);
    return new ProcessBuilder(line);
  }

  private static Process silently(ProcessBuilder builder) throws IOException {
    return builder
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** Whether there is such a program: a lock is not taken for one that cannot be started. */
  static boolean exists(String program, String path) {
    if (program.contains("/")) {
      return Files.isExecutable(Path.of(program));
    }
    for (String place : path.split(":", -1)) {
      if (Files.isExecutable(Path.of(place).resolve(program))) {
        return true;
      }
    }
    return false;
  }

  /** It may go on for this long from now. */
  void goOn(Duration left) {
    try {
      orders.write((seconds(left) + "\n").getBytes(StandardCharsets.US_ASCII));
      orders.flush();
    } catch (IOException ended) {
      // The guard is gone, and so is the command.
      return;
    }
  }

  /** {@code read -t} takes a fraction; 0 would only look whether there is something to read. */
  private static String seconds(Duration left) {
    long millis = Math.max(1, left.toMillis());
    return millis / 1000 + "." + String.format("%03d", millis % 1000);
  }

  /** Waits for its end; answers its exit code. */
  int await() throws InterruptedException {
    return command.waitFor();
  }

  /** Whether the guard ended it because nobody said that it may go on; known once it is closed. */
  boolean fellSilent() {
    return !guard.isAlive() && guard.exitValue() == SILENCE;
  }

  /** Ends the group, what the command left behind in it included, and waits until it is gone. */
  @Override
  public void close() {
    try {
      orders.close();
    } catch (IOException gone) {
      // Then nothing is left to be ended.
    }
    try {
      long millis = grace.plusSeconds(5).toMillis();
      if (!guard.waitFor(millis, TimeUnit.MILLISECONDS)) {
        guard.destroyForcibly().waitFor();
      }
      if (guard.exitValue() != 0 && guard.exitValue() != SILENCE) {
        endUnguarded(millis);
      }
      command.waitFor(millis, TimeUnit.MILLISECONDS);
      Files.deleteIfExists(folder.resolve("gate"));
      Files.deleteIfExists(folder);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    } catch (IOException left) {
      // An empty file in the folder for such files harms nobody.
    }
  }

  /** Something ended the guard before it ended the group. */
  private void endUnguarded(long millis) throws InterruptedException {
    try {
      silently(builder("bash", UNGUARDED, group(), List.of(tenths())))
          .waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (IOException noProcess) {
      command.destroyForcibly();
    }
  }

  private String group() {
    return Long.toString(command.pid());
  }

  private String tenths() {
    return Long.toString(grace.toMillis() / 100);
  }
}
