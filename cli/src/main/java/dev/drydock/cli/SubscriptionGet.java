package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "get", description = "One subscription.", mixinStandardHelpOptions = true)
final class SubscriptionGet implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "NAME", description = "The subscription, or TEAM~NAME.")
  String name = "";

  SubscriptionGet(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      output.one(client.subscription(name), SubscriptionViews.SUBSCRIPTIONS, WireCollections::tree);
      return ExitCode.OK;
    }
  }
}
