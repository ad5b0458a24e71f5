package dev.drydock.cli;

import dev.drydock.api.Rollout;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "return",
    description =
        "Bring a quarantined host back to service: verify, judge its health, start its applications, put it into rotation.",
    mixinStandardHelpOptions = true)
final class HostReturn implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "NAME", description = "The host.")
  String name = "";

  @Option(
      names = "--release",
      paramLabel = "NAME",
      description = "The release the host is on (default: what the server knows).")
  @Nullable String release;

  @Option(
      names = "--reason",
      defaultValue = "",
      paramLabel = "TEXT",
      description = "Why it is thought to be well, for the audit trail.")
  String reason = "";

  HostReturn(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      Rollout rollout = client.returnHost(name, Optional.ofNullable(release), reason);
      around
          .err()
          .println(
              "drydock: rollout %s brings %s back on release %s; nothing is updated. Follow it with \"drydock rollout watch %s\"."
                  .formatted(rollout.getId(), name, rollout.getRelease(), rollout.getId()));
      output.one(rollout, TableViews.ROLLOUTS, WireCollections::tree);
      return ExitCode.OK;
    }
  }
}
