package dev.drydock.cli;

import dev.drydock.api.Decision;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    description = "One decision, with its choices and what happens then.",
    mixinStandardHelpOptions = true)
final class DecisionShow implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(index = "0", paramLabel = "ID", description = "The decision.")
  String id = "";

  DecisionShow(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      Decision decision = client.decision(id);
      output.one(decision, DecisionViews.DECISIONS, WireCollections::tree);
      if (output.format.isForPeople()) {
        around.out().println();
        output.list(
            List.copyOf(decision.getChoices()), DecisionViews.CHOICES, WireCollections::tree);
        around.out().println("Without an answer: " + decision.getOtherwise());
      }
      return ExitCode.OK;
    }
  }
}
