package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The fleet brake; {@code status}, below it, only looks. */
@Command(
    name = "freeze",
    description = "Stop all new grants of hosts, everywhere; what is held goes on.",
    mixinStandardHelpOptions = true)
final class FleetFreeze implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;

  // Not required by picocli, which would ask for it before "status" as well.
  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Why, for everybody who waits and for the audit trail; always needed.")
  String reason = "";

  FleetFreeze(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    if (reason.isBlank()) {
      throw CommandFailure.usage("freeze needs --reason TEXT (freeze status only looks)");
    }
    try (DrydockClient client = connection.open()) {
      client.freeze(reason);
      around.out().println("the fleet is frozen: nobody is granted a host until drydock unfreeze");
      return ExitCode.OK;
    }
  }
}
