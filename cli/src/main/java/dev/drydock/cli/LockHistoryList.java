package dev.drydock.cli;

import dev.drydock.api.LockHistoryEntry;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "history",
    description = "What happened to tickets and locks, newest first.",
    mixinStandardHelpOptions = true)
final class LockHistoryList implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @ArgGroup @Nullable Of of;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "50",
      description = "How many lines, at most 1000 (default: ${DEFAULT-VALUE}).")
  int count;

  /** At most one of them. */
  static final class Of {
    @Option(names = "--host", paramLabel = "NAME", description = "Only on this host.")
    @Nullable String host;

    @Option(names = "--lock", paramLabel = "ID", description = "Only of this ticket, lock or hold.")
    @Nullable String lock;
  }

  LockHistoryList(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      output.list(entries(client), TableViews.LOCK_HISTORY, WireCollections::tree);
      return ExitCode.OK;
    }
  }

  private List<LockHistoryEntry> entries(DrydockClient client) {
    if (of == null) {
      return client.lockHistory(count);
    }
    if (of.host != null) {
      return client.lockHistoryOfHost(of.host, count);
    }
    return client.lockHistoryOf(of.lock == null ? "" : of.lock, count);
  }
}
