package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "renew",
    description = "Start the lease of a lock, or the wait of a ticket, anew.",
    mixinStandardHelpOptions = true)
final class LockRenew implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;

  @Parameters(paramLabel = "ID", description = "The lock or ticket.")
  String id = "";

  LockRenew(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      client.renewLock(id);
      around.err().println(id + " renewed");
      return ExitCode.OK;
    }
  }
}
