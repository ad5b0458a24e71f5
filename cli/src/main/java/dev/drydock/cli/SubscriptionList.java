package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "list",
    description = "The subscriptions of your team.",
    mixinStandardHelpOptions = true)
final class SubscriptionList implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  SubscriptionList(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      output.list(client.subscriptions(), SubscriptionViews.SUBSCRIPTIONS, WireCollections::tree);
      return ExitCode.OK;
    }
  }
}
