package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "The catalogue of releases.", mixinStandardHelpOptions = true)
final class ReleaseList implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  ReleaseList(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      output.list(client.releases(), TableViews.RELEASES, WireCollections::tree);
      return ExitCode.OK;
    }
  }
}
