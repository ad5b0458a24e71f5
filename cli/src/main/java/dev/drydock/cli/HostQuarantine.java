package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "quarantine",
    description =
        "Keep a host from everybody until it is brought back with \"host return\"; nothing is done on it.",
    mixinStandardHelpOptions = true)
final class HostQuarantine implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;

  @Parameters(paramLabel = "NAME", description = "The host.")
  String name = "";

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "What is the matter with it, for everybody who sees the host.")
  String reason = "";

  HostQuarantine(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      around.out().println(client.quarantineHost(name, reason));
      return ExitCode.OK;
    }
  }
}
