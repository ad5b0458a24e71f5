package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.Values;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "All rollouts.", mixinStandardHelpOptions = true)
final class RolloutList implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  RolloutList(Surroundings around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      output.list(client.rollouts(), Views.ROLLOUTS, Values::tree);
      return ExitCode.OK;
    }
  }
}
