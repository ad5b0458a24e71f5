package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "write-off",
    description =
        "Expect a host back no more: no budget and no zone waits for it, and it leaves the rollouts in which it waits. Nothing is done on it.",
    mixinStandardHelpOptions = true)
final class HostWriteOff implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;

  @Parameters(paramLabel = "NAME", description = "The host.")
  String name = "";

  @ArgGroup(multiplicity = "1")
  Wanted wanted = new Wanted();

  /** One of the two. */
  static final class Wanted {
    @Option(
        names = "--reason",
        paramLabel = "TEXT",
        description = "Why it does not come back, for everybody who sees the host.")
    @Nullable String reason;

    @Option(names = "--undo", description = "Expect it back after all.")
    boolean undo;
  }

  HostWriteOff(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      around
          .out()
          .println(
              wanted.reason == null
                  ? client.undoWriteOff(name)
                  : client.writeOffHost(name, wanted.reason));
      return ExitCode.OK;
    }
  }
}
