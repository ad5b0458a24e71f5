package dev.drydock.cli;

import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.api.LockState;
import dev.drydock.proto.client.DrydockClient;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "end",
    description = {
      "Give a host back after work by hand.",
      "Where nobody has it yet, the caller's own place in its queue is given up."
    },
    mixinStandardHelpOptions = true)
final class MaintenanceEnd implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;

  @Parameters(paramLabel = "HOST", description = "The host.")
  String host = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      defaultValue = "maintenance is over",
      description = "For the audit trail.")
  String reason = "";

  MaintenanceEnd(CliEnvironment around) {
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
      List<Lock> waiting = found.stream().filter(MaintenanceEnd::waits).toList();
      List<Lock> held = found.stream().filter(lock -> !waits(lock)).toList();
      if (!end(client, held, "is given back")
          && !end(client, own(client, waiting), "is not waited for any more")) {
        throw new CommandFailure(
            ExitCode.FAILED, List.of(), "nobody has " + host + " in maintenance");
      }
      return ExitCode.OK;
    }
  }

  private static boolean waits(Lock lock) {
    return lock.getState() == LockState.Waiting;
  }

  /** The places of others are theirs, whatever the caller may do. */
  private static List<Lock> own(DrydockClient client, List<Lock> waiting) {
    if (waiting.isEmpty()) {
      return waiting;
    }
    String caller = client.principal().getName();
    return waiting.stream().filter(place -> place.getHolder().equals(caller)).toList();
  }

  /** False when there is nothing to end. */
  private boolean end(DrydockClient client, List<Lock> locks, String what) {
    if (locks.isEmpty()) {
      return false;
    }
    locks.forEach(lock -> client.releaseLock(lock.getId(), reason));
    around.err().println(host + " " + what);
    return true;
  }
}
