package dev.drydock.cli;

import dev.drydock.api.BlockedBatch;
import dev.drydock.api.BlockedBatchState;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.Values;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "list",
    description = "Batches of which hosts failed and that wait for an answer.",
    mixinStandardHelpOptions = true)
final class BlockedList implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @Option(names = "--all", description = "Those that were answered as well.")
  boolean all;

  BlockedList(Surroundings around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      List<BlockedBatch> batches =
          client.blockedBatches().stream()
              .filter(batch -> all || batch.getState() == BlockedBatchState.Open)
              .toList();
      output.list(batches, BlockedViews.BATCHES, Values::tree);
      return ExitCode.OK;
    }
  }
}
