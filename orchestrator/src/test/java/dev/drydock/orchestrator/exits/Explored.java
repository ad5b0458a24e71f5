package dev.drydock.orchestrator.exits;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.Phase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * How hosts end when one thing goes wrong in a phase, as the explorer of the core found it. It
 * writes one line for each end, so that nobody has to explore twice.
 */
final class Explored {
  private Explored() {}

  /**
   * The ends of hosts, as cells that no test shows.
   *
   * @throws IllegalStateException if a line is not one of the explorer's
   */
  static List<Cell> of(Path written) {
    try {
      return Files.readAllLines(written).stream().map(line -> cell(written, line)).toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(
          "cannot read " + written + "; `make exits` writes it", unreadable);
    }
  }

  private static Cell cell(Path written, String line) {
    String[] parts = line.split(" \\| ", 4);
    Exit exit =
        Arrays.stream(Exit.values())
            .filter(one -> parts.length == 4 && one.word().equals(parts[1]))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        written + " has a line that is no end of a host: " + line));
    return new Cell(Machine.name(Phase.class), parts[0], exit, end(parts[2]), "");
  }

  /** Who went back waits again. */
  private static String end(String word) {
    return word.equals(HostEnd.REQUEUED.word()) ? HostUpgradeState.Pending.name() : word;
  }
}
