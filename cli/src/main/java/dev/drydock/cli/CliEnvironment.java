package dev.drydock.cli;

import java.io.Console;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * What the program finds around it. Passed in, so that tests can put anything there.
 *
 * @param out machine output and tables; nothing else
 * @param err notes and errors
 * @param terminal whether somebody looks at {@code out}
 */
record CliEnvironment(
    Map<String, String> variables, Path home, PrintWriter out, PrintWriter err, boolean terminal) {

  // The JDK says that there may be no console; one of the two checkers knows better.
  @SuppressWarnings("SystemConsoleNull")
  static CliEnvironment real() {
    Console console = System.console();
    return new CliEnvironment(
        System.getenv(),
        Path.of(System.getProperty("user.home")),
        new PrintWriter(System.out, true, StandardCharsets.UTF_8),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
        console != null && console.isTerminal() && !"dumb".equals(System.getenv("TERM")));
  }

  String variable(String name) {
    return variables.getOrDefault(name, "");
  }
}
