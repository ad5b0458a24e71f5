package dev.drydock.cli;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.ErrorDetailArray;
import dev.drydock.api.PolicyDocument;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says everything that is wrong with policies; changes nothing. */
@Command(
    name = "lint",
    description = "Check policies without applying them.",
    mixinStandardHelpOptions = true)
final class PolicyLint implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final PolicyFiles files = new PolicyFiles();

  PolicyLint(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    List<TextFile> texts = files.texts("nothing was checked");
    try (DrydockClient client = connection.open()) {
      List<String> faults = faults(around, client, texts);
      if (!faults.isEmpty()) {
        throw CommandFailure.input(faults, "not valid");
      }
      texts.forEach(text -> around.out().println(text.name() + ": valid"));
      return ExitCode.OK;
    }
  }

  /** All faults of all files, each with file and line. Warnings go to stderr. */
  static List<String> faults(CliEnvironment around, DrydockClient client, List<TextFile> texts) {
    List<String> faults = new ArrayList<>();
    for (TextFile text : texts) {
      try {
        warn(around, text, client.lintPolicy(text.content()));
      } catch (CallException e) {
        if (e.details().isEmpty()) {
          throw e;
        }
        e.details().forEach(fault -> faults.add(line(text, fault)));
      }
    }
    return faults;
  }

  private static void warn(CliEnvironment around, TextFile text, PolicyDocument read) {
    ErrorDetailArray warnings = read.getWarnings();
    if (warnings != null) {
      for (ErrorDetail warning : warnings) {
        around
            .err()
            .println("%s: warning: %s".formatted(text.place(warning), warning.getMessage()));
      }
    }
  }

  private static String line(TextFile text, ErrorDetail fault) {
    return text.place(fault) + ": " + fault.getMessage();
  }
}
