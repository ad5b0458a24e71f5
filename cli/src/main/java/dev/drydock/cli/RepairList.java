package dev.drydock.cli;

import dev.drydock.api.RepairApproval;
import dev.drydock.api.RepairApprovalState;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.Values;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "list",
    description = "What waits for a person's approval before it is tried on a host.",
    mixinStandardHelpOptions = true)
final class RepairList implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @Option(names = "--all", description = "Those that were answered as well.")
  boolean all;

  RepairList(Surroundings around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      List<RepairApproval> approvals =
          client.repairApprovals().stream()
              .filter(approval -> all || approval.getState() == RepairApprovalState.Open)
              .toList();
      output.list(approvals, RepairViews.APPROVALS, Values::tree);
      return ExitCode.OK;
    }
  }
}
