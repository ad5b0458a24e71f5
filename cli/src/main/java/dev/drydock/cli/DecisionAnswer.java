package dev.drydock.cli;

import dev.drydock.api.Decision;
import dev.drydock.api.DecisionOption;
import dev.drydock.api.DecisionState;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "answer", description = "Answer a decision.", mixinStandardHelpOptions = true)
final class DecisionAnswer implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(index = "0", paramLabel = "ID", description = "The decision.")
  String id = "";

  @Parameters(
      index = "1",
      paramLabel = "OPTION",
      description =
          "One of its choices, as `drydock decision show` lists them. Of a blocked batch: Retry,"
              + " GoOn or Abort; of a late drain: Wait, Requeue, Quarantine, or Force, which"
              + " somebody else has to approve by the same command; of a repair: Approve or Refuse.")
  DecisionOption option = DecisionOption.$UNKNOWN;

  @Option(
      names = "--reason",
      defaultValue = "",
      paramLabel = "TEXT",
      description = "Why, for everybody who sees it and for the audit trail.")
  String reason = "";

  DecisionAnswer(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      Decision decision = client.decide(id, option, reason);
      boolean half = decision.getState() == DecisionState.AwaitsApproval;
      around
          .err()
          .println(
              half
                  ? "drydock: somebody else has to approve it: drydock decision answer %s %s"
                      .formatted(id, option)
                  : "drydock: answered " + option);
      output.one(decision, DecisionViews.DECISIONS, WireCollections::tree);
      return ExitCode.OK;
    }
  }
}
