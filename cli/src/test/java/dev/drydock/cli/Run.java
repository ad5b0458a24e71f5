package dev.drydock.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One run of the program in this process: what it printed and its exit code. */
record Run(int code, String out, String err) {
  static Run of(Map<String, String> variables, Path home, List<String> arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CliEnvironment around =
        new CliEnvironment(variables, home, new PrintWriter(out), new PrintWriter(err), false);
    int code = Main.run(around, arguments.toArray(String[]::new));
    around.out().flush();
    around.err().flush();
    return new Run(code, out.toString(), err.toString());
  }

  /** With a server and a token in the environment. */
  static Run against(FakeServer server, Path home, String... arguments) throws java.io.IOException {
    Map<String, String> variables = new HashMap<>();
    variables.put("DRYDOCK_URL", server.url());
    Path token = java.nio.file.Files.writeString(home.resolve("token"), "t0ken");
    variables.put("DRYDOCK_TOKEN_FILE", token.toString());
    return of(variables, home, List.of(arguments));
  }
}
