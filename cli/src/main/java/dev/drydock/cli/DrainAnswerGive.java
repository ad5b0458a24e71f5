package dev.drydock.cli;

import dev.drydock.api.DrainAnswer;
import dev.drydock.api.DrainQuestion;
import dev.drydock.api.DrainQuestionState;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.Values;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "answer",
    description = "Say what becomes of hosts that were not drained in time.",
    mixinStandardHelpOptions = true)
final class DrainAnswerGive implements Callable<Integer> {
  private final Surroundings around;

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(index = "0", paramLabel = "ID", description = "The question.")
  String id = "";

  @Parameters(
      index = "1",
      paramLabel = "ANSWER",
      description =
          "Wait (drain again), Requeue (try later), Quarantine (keep aside), or Force (stop what is"
              + " left; somebody else has to approve it by the same command).")
  DrainAnswer answer = DrainAnswer.$UNKNOWN;

  @Option(
      names = "--reason",
      defaultValue = "",
      paramLabel = "TEXT",
      description = "Why, for everybody who sees it and for the audit trail.")
  String reason = "";

  DrainAnswerGive(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      DrainQuestion question = client.answerDrain(id, answer, reason);
      boolean half = question.getState() == DrainQuestionState.AwaitsApproval;
      around
          .err()
          .println(
              half
                  ? "drydock: somebody else has to approve it: drydock drain answer "
                      + id
                      + " Force"
                  : "drydock: answered " + answer);
      output.one(question, DrainViews.QUESTIONS, Values::tree);
      return ExitCode.OK;
    }
  }
}
