package dev.drydock.cli;

import dev.drydock.api.Freeze;
import dev.drydock.proto.client.DrydockClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "unfreeze",
    description = "Let grants go on after a freeze.",
    mixinStandardHelpOptions = true)
final class FleetUnfreeze implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Why it is safe again, for the audit trail.")
  String reason = "";

  FleetUnfreeze(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      Freeze seen = client.freeze();
      if (!seen.isFrozen()) {
        around.out().println("the fleet was not frozen");
        return ExitCode.OK;
      }
      client.unfreeze(seen, reason);
      around
          .out()
          .printf(
              "the fleet moves again; it was frozen by %s: %s%n", seen.getBy(), seen.getReason());
      return ExitCode.OK;
    }
  }
}
