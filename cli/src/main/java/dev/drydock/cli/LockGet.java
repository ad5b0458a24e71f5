package dev.drydock.cli;

import dev.drydock.api.Lock;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "get", description = "One lock or ticket.", mixinStandardHelpOptions = true)
final class LockGet implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "ID", description = "The lock or ticket.")
  String id = "";

  LockGet(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      Lock lock = client.lock(id);
      output.one(lock, TableViews.LOCKS, WireCollections::tree);
      details(lock).forEach(output::say);
      return ExitCode.OK;
    }
  }

  /** What the table has no room for. */
  private static List<String> details(Lock lock) {
    List<String> said = new ArrayList<>();
    if (!lock.getExplanation().isEmpty()) {
      said.add(lock.getExplanation());
    }
    if (lock.hasToken()) {
      said.add("fencing token " + lock.getToken());
    }
    if (lock.hasLeaseSecondsLeft()) {
      said.add("its client is alive; the lease ends in " + span(lock.getLeaseSecondsLeft()));
    }
    if (lock.hasExcludesUntil()) {
      said.add("it excludes others until about " + TableViews.time(lock.getExcludesUntil()));
    }
    if (lock.hasLapsedAt()) {
      said.add("its client fell silent: lapsed at " + TableViews.time(lock.getLapsedAt()));
    }
    if (lock.hasMaxSeconds()) {
      said.add(
          "declared for at most "
              + span(lock.getMaxSeconds())
              + (lock.hasEndsAt() ? ", until " + TableViews.time(lock.getEndsAt()) : ""));
    }
    return said;
  }

  private static String span(@Nullable Integer seconds) {
    return TextFormat.duration(seconds == null ? 0 : seconds * 1000L);
  }
}
