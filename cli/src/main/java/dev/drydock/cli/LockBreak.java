package dev.drydock.cli;

import dev.drydock.api.BreakGlassReason;
import dev.drydock.proto.client.DrydockClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "break",
    description = "Take hosts away from whoever holds them; they are quarantined (admin).",
    mixinStandardHelpOptions = true)
final class LockBreak implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;

  @Parameters(paramLabel = "ID", description = "The lock.")
  String id = "";

  @Option(
      names = "--kind",
      required = true,
      paramLabel = "KIND",
      description = "HolderGone, HostLost, Emergency, Mistake or Other.")
  BreakGlassReason kind = BreakGlassReason.Other;

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Why, for the audit trail.")
  String reason = "";

  LockBreak(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      client.breakLock(id, kind, reason);
      around
          .out()
          .println(
              id
                  + " is broken; its hosts stay quarantined until drydock lock release "
                  + id
                  + " says that they were looked at");
      return ExitCode.OK;
    }
  }
}
