package dev.drydock.orchestrator.exits;

import dev.drydock.proto.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the soak of crashes shows. It brings about exactly the states of its list, and kills every
 * process in each; {@code make soak-crash} all of them, the test named there a sample.
 */
final class SoakClaims {
  private static final String TEST = "test";

  private SoakClaims() {}

  /**
   * The cells of the list.
   *
   * @param checkout where the path of its test begins
   * @throws IllegalStateException if the test is not there, or does not run
   */
  static Stream<Cell> of(Path list, Path checkout) {
    Map<String, Object> listed = Json.readTree(read(list));
    String test = String.valueOf(listed.get(TEST));
    requireThatItRuns(test, checkout);
    return listed.entrySet().stream()
        .filter(machine -> !machine.getKey().equals(TEST))
        .flatMap(
            machine ->
                map(machine.getValue()).entrySet().stream()
                    .flatMap(
                        state ->
                            ends(state.getValue())
                                .map(
                                    end ->
                                        new Cell(
                                            machine.getKey(),
                                            String.valueOf(state.getKey()),
                                            Exit.CRASH,
                                            end,
                                            "make soak-crash"))));
  }

  /** A state may be brought about on hosts of several kinds. */
  private static Stream<String> ends(Object state) {
    List<?> hosts = state instanceof List<?> several ? several : List.of(state);
    return hosts.stream().map(host -> String.valueOf(map(host).get("end"))).distinct();
  }

  private static Map<?, ?> map(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalStateException(
        "the list of the soak has " + value + " where an object is due");
  }

  private static void requireThatItRuns(String test, Path checkout) {
    String[] parts = test.split("::");
    String source = read(checkout.resolve(parts[0]));
    Pattern runs =
        Pattern.compile("(?m)^(?!@pytest\\.mark\\.(skip|full)).*\\ndef " + parts[1] + "\\(");
    if (!runs.matcher(source).find()) {
      throw new IllegalStateException(test + " is not there, or does not run");
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot read " + file, unreadable);
    }
  }
}
