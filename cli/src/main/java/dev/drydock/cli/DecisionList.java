package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "list",
    description = "What waits for an answer of people.",
    mixinStandardHelpOptions = true)
final class DecisionList implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @Option(names = "--all", description = "What was answered as well.")
  boolean all;

  DecisionList(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      output.list(client.decisions(!all), DecisionViews.DECISIONS, WireCollections::tree);
      return ExitCode.OK;
    }
  }
}
