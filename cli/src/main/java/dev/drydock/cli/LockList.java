package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Tickets and locks.", mixinStandardHelpOptions = true)
final class LockList implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @Option(names = "--host", paramLabel = "NAME", description = "Only those of this host.")
  @Nullable String host;

  LockList(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      output.list(
          host == null ? client.locks() : client.locksOfHost(host),
          TableViews.LOCKS,
          WireCollections::tree);
      return ExitCode.OK;
    }
  }
}
