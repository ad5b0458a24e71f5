package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "status",
    description = "Whether the fleet is frozen, by whom and why.",
    mixinStandardHelpOptions = true)
final class FreezeStatus implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  FreezeStatus(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      output.one(client.freeze(), TableViews.FREEZE, WireCollections::tree);
      return ExitCode.OK;
    }
  }
}
