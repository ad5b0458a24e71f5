package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "release",
    description = "End a session lock or leave the queue.",
    mixinStandardHelpOptions = true)
final class LockRelease implements Callable<Integer> {
  private final Surroundings around;

  @Mixin final Connection connection;

  @Parameters(paramLabel = "ID", description = "The lock or ticket.")
  String id = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      defaultValue = "released",
      description = "Why, for the audit trail (default: released).")
  String reason = "released";

  LockRelease(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      client.releaseLock(id, reason);
      around.err().println(id + " released");
      return ExitCode.OK;
    }
  }
}
