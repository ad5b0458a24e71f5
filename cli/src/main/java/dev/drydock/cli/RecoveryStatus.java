package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "status",
    description = "Whether a store that was restored is being recovered, and what that waits for.",
    mixinStandardHelpOptions = true)
final class RecoveryStatus implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  RecoveryStatus(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      output.one(client.recovery(), TableViews.RECOVERY, WireCollections::tree);
      return ExitCode.OK;
    }
  }
}
