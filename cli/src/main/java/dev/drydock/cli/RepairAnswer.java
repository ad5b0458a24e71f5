package dev.drydock.cli;

import dev.drydock.api.RepairApproval;
import dev.drydock.api.RepairApprovalAnswer;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.Values;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "answer",
    description = "Approve or refuse what would be tried on a host.",
    mixinStandardHelpOptions = true)
final class RepairAnswer implements Callable<Integer> {
  private final Surroundings around;

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(index = "0", paramLabel = "ID", description = "The question.")
  String id = "";

  @Parameters(
      index = "1",
      paramLabel = "ANSWER",
      description =
          "Approve, or Refuse (it is left out: the next rung is tried, or the host is"
              + " quarantined).")
  RepairApprovalAnswer answer = RepairApprovalAnswer.$UNKNOWN;

  @Option(
      names = "--reason",
      defaultValue = "",
      paramLabel = "TEXT",
      description = "Why, for everybody who sees it and for the audit trail.")
  String reason = "";

  RepairAnswer(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      RepairApproval approval = client.answerRepair(id, answer, reason);
      around.err().println("drydock: answered " + answer);
      output.one(approval, RepairViews.APPROVALS, Values::tree);
      return ExitCode.OK;
    }
  }
}
