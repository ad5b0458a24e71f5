package dev.drydock.cli;

import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.proto.client.DrydockClient;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "end",
    description = "Give a host back after work by hand.",
    mixinStandardHelpOptions = true)
final class MaintenanceEnd implements Callable<Integer> {
  private final Surroundings around;

  @Mixin final Connection connection;

  @Parameters(paramLabel = "HOST", description = "The host.")
  String host = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      defaultValue = "maintenance is over",
      description = "For the audit trail.")
  String reason = "";

  MaintenanceEnd(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      List<Lock> found =
          client.locksOfHost(host).stream()
              .filter(lock -> lock.getKind() == LockKind.Maintenance)
              .toList();
      if (found.isEmpty()) {
        throw new Failure(ExitCode.FAILED, List.of(), "nobody has " + host + " in maintenance");
      }
      found.forEach(lock -> client.releaseLock(lock.getId(), reason));
      around.err().println(host + " is given back");
      return ExitCode.OK;
    }
  }
}
