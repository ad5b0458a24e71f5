package dev.drydock.cli;

import dev.drydock.api.BlockedBatch;
import dev.drydock.api.BlockedBatchAnswer;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.Values;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "answer",
    description = "Say what becomes of a batch of which hosts failed.",
    mixinStandardHelpOptions = true)
final class BlockedAnswer implements Callable<Integer> {
  private final Surroundings around;

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(index = "0", paramLabel = "ID", description = "The question.")
  String id = "";

  @Parameters(
      index = "1",
      paramLabel = "ANSWER",
      description =
          "Retry (try once more), GoOn (quarantine the hosts that failed), or Abort (all go back,"
              + " while there is a way back).")
  BlockedBatchAnswer answer = BlockedBatchAnswer.$UNKNOWN;

  @Option(
      names = "--reason",
      defaultValue = "",
      paramLabel = "TEXT",
      description = "Why, for everybody who sees it and for the audit trail.")
  String reason = "";

  BlockedAnswer(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      BlockedBatch batch = client.answerBlocked(id, answer, reason);
      around.err().println("drydock: answered " + answer);
      output.one(batch, BlockedViews.BATCHES, Values::tree);
      return ExitCode.OK;
    }
  }
}
