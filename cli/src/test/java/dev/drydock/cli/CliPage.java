package dev.drydock.cli;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The commands of the program as a page for people. Pure. */
final class CliPage {
  static final int INTERRUPTED = 130;

  /** What scripts may rely on; {@link ExitCode} has the numbers. */
  static final Map<Integer, String> EXIT_CODES = exitCodes();

  private static final String TOP =
      """
      # Command line

      Written by `make reference` from the program itself.

      Every command takes `--help`. Those that call the server take `--url`, `--token-file` and `--context` as
      well; without them `DRYDOCK_URL` and `DRYDOCK_TOKEN_FILE` count, then the current context of
      `~/.config/drydock/config.yaml`:

      ```yaml
      current: lab
      contexts:
        lab: {url: "http://127.0.0.1:8080", tokenFile: /etc/drydock/token}
      ```

      Commands that print records take `-o table|wide|json|jsonl|yaml|name`. In the formats for programs stdout
      carries nothing else.

      """;

  /** Explained above, once. */
  private static final Set<String> COMMON =
      Set.of("--url", "--token-file", "--context", "--output", "--help", "--version");

  private CliPage() {}

  static String of(CommandLine root) {
    List<CommandSpec> commands = new ArrayList<>();
    leaves(root, commands);
    StringBuilder page = new StringBuilder(TOP);
    page.append("| exit code | meaning |\n|---|---|\n");
    EXIT_CODES.forEach((code, meaning) -> page.append(row(String.valueOf(code), meaning)));
    for (CommandSpec command : commands) {
      command(page, command);
    }
    return page.toString();
  }

  private static void leaves(CommandLine line, List<CommandSpec> found) {
    line.getSubcommands().values().forEach(below -> leaves(below, found));
    if (line.getCommandSpec().userObject() instanceof Runnable
        || line.getCommandSpec().userObject() instanceof java.util.concurrent.Callable<?>
        || line.getSubcommands().isEmpty()) {
      found.add(line.getCommandSpec());
    }
  }

  private static void command(StringBuilder page, CommandSpec command) {
    page.append("\n## ").append(command.qualifiedName()).append("\n\n");
    String description = String.join(" ", command.usageMessage().description());
    if (!description.isEmpty()) {
      page.append(text(description)).append("\n\n");
    }
    page.append("```\n").append(synopsis(command)).append("\n```\n");
    List<String> rows = new ArrayList<>();
    for (PositionalParamSpec argument : command.positionalParameters()) {
      rows.add(row("`" + argument.paramLabel() + "`", sentence(argument.description(), "")));
    }
    for (OptionSpec option : command.options()) {
      if (!COMMON.contains(option.longestName())) {
        rows.add(
            row(
                "`" + shown(option) + "`",
                sentence(option.description(), option.defaultValueString())));
      }
    }
    if (!rows.isEmpty()) {
      page.append("\n| argument | meaning |\n|---|---|\n");
      rows.forEach(page::append);
    }
  }

  /** On one line, without what every command takes. */
  private static String synopsis(CommandSpec command) {
    String[] own = command.usageMessage().customSynopsis();
    if (own.length > 0) {
      return String.join(" ", own);
    }
    StringBuilder text = new StringBuilder(command.qualifiedName());
    for (PositionalParamSpec argument : command.positionalParameters()) {
      String shown = argument.paramLabel() + (argument.arity().max() > 1 ? "..." : "");
      text.append(' ').append(argument.arity().min() > 0 ? shown : "[" + shown + "]");
    }
    for (OptionSpec option : command.options()) {
      if (option.group() == null && !COMMON.contains(option.longestName())) {
        text.append(' ').append(option.required() ? shown(option) : "[" + shown(option) + "]");
      }
    }
    command.argGroups().forEach(choice -> text.append(' ').append(choice.synopsis()));
    return text.toString();
  }

  private static String shown(OptionSpec option) {
    String label = option.arity().max() == 0 ? "" : " " + option.paramLabel();
    return String.join(", ", option.names()) + label;
  }

  private static String sentence(String[] description, String value) {
    return text(String.join(" ", description).replace("${DEFAULT-VALUE}", value));
  }

  private static String text(String description) {
    return description.replace("%n", " ").replace("%%", "%").replace("|", "\\|");
  }

  private static String row(String first, String second) {
    return "| " + first.replace("|", "\\|") + " | " + second + " |\n";
  }

  private static Map<Integer, String> exitCodes() {
    Map<Integer, String> codes = new LinkedHashMap<>();
    codes.put(ExitCode.OK, "done");
    codes.put(ExitCode.FAILED, "failed");
    codes.put(ExitCode.USAGE, "the command line or a file is wrong; nothing was changed");
    codes.put(ExitCode.REFUSED, "refused by a rule");
    codes.put(ExitCode.NOT_AUTHENTICATED, "no or wrong token, or a role that may not");
    codes.put(ExitCode.CONFLICT, "conflict: the object has moved on, or a plan is stale");
    codes.put(
        ExitCode.DEGRADED,
        "the rollout ended, but not every host was upgraded; or a lock was lost under its command");
    codes.put(
        ExitCode.TIMED_OUT, "time-out; or the receiver of a webhook took nothing for too long");
    codes.put(ExitCode.VIOLATED, "an audit found a violation");
    codes.put(
        ExitCode.UNKNOWN,
        "an audit found none, but the logs do not show that every invariant was kept");
    codes.put(INTERRUPTED, "interrupted");
    return Collections.unmodifiableMap(codes);
  }
}
