package dev.drydock.cli;

import dev.drydock.api.DrainQuestion;
import dev.drydock.api.DrainQuestionState;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.Values;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "list",
    description = "Hosts that were not drained in time and wait for an answer.",
    mixinStandardHelpOptions = true)
final class DrainList implements Callable<Integer> {
  private static final Set<DrainQuestionState> WAITING =
      EnumSet.of(DrainQuestionState.Open, DrainQuestionState.AwaitsApproval);

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Option(names = "--all", description = "Those that were answered as well.")
  boolean all;

  DrainList(Surroundings around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      List<DrainQuestion> questions =
          client.drainQuestions().stream()
              .filter(question -> all || WAITING.contains(question.getState()))
              .toList();
      output.list(questions, DrainViews.QUESTIONS, Values::tree);
      return ExitCode.OK;
    }
  }
}
