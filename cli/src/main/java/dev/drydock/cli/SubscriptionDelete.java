package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "delete",
    description = "Forget a subscription and where its reader was.",
    mixinStandardHelpOptions = true)
final class SubscriptionDelete implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;

  @Parameters(paramLabel = "NAME", description = "The subscription, or TEAM~NAME.")
  String name = "";

  SubscriptionDelete(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      client.deleteSubscription(name);
      around.err().println(name + " deleted");
      return ExitCode.OK;
    }
  }
}
