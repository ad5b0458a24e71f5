package dev.drydock.cli;

import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import java.util.List;
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
  private final CliEnvironment around;

  @Mixin final Connection connection;

  @Parameters(paramLabel = "ID", description = "The lock or ticket.")
  String id = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      defaultValue = "released",
      description = "Why, for the audit trail (default: released).")
  String reason = "released";

  LockRelease(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      List<String> kept = quarantined(client);
      client.releaseLock(id, reason);
      around.err().println(id + " released");
      kept.forEach(
          host ->
              around
                  .err()
                  .println(
                      "drydock: %s is free, but not in service: nobody started its applications. To bring a quarantined host back use \"drydock host return %s\" instead of releasing its lock."
                          .formatted(host, host)));
      return ExitCode.OK;
    }
  }

  /** The hosts it keeps in quarantine; none where the lock is not known any more. */
  private List<String> quarantined(DrydockClient client) {
    try {
      Lock lock = client.lock(id);
      return lock.getKind() == LockKind.Quarantine ? List.copyOf(lock.getHosts()) : List.of();
    } catch (CallException unknown) {
      return List.of();
    }
  }
}
