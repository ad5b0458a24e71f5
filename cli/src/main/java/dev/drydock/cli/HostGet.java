package dev.drydock.cli;

import dev.drydock.api.Host;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "get",
    description = "One host with its instances.",
    mixinStandardHelpOptions = true)
final class HostGet implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "NAME", description = "The host.")
  String name = "";

  HostGet(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      Host host = client.host(name);
      output.one(host, TableViews.HOSTS, WireCollections::tree);
      if (output.format.isForPeople()) {
        output.say("");
        output.list(List.copyOf(host.getInstances()), TableViews.INSTANCES, WireCollections::tree);
      }
      return ExitCode.OK;
    }
  }
}
