package dev.drydock.cli;

import dev.drydock.api.Rollout;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that changes one rollout and shows what it is then. */
abstract class RolloutChangeCommand implements Callable<Integer> {
  final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "ID", description = "The rollout.")
  String id = "";

  @Option(
      names = "--reason",
      defaultValue = "",
      paramLabel = "TEXT",
      description = "Why, for everybody who sees the rollout and for the audit trail.")
  String reason = "";

  RolloutChangeCommand(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  /** Asks the server for the change. */
  abstract Rollout change(DrydockClient client);

  /** What a person is told beside the table. */
  abstract String told(Rollout changed);

  @Override
  public Integer call() throws InterruptedException {
    try (DrydockClient client = connection.open()) {
      Rollout changed = change(client);
      around.err().println("drydock: " + told(changed));
      output.one(changed, TableViews.ROLLOUTS, WireCollections::tree);
      return ExitCode.OK;
    }
  }
}
