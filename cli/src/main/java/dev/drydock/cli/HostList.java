package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.Values;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "All hosts.", mixinStandardHelpOptions = true)
final class HostList implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  HostList(Surroundings around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      output.list(client.hosts(), Views.HOSTS, Values::tree);
      return ExitCode.OK;
    }
  }
}
