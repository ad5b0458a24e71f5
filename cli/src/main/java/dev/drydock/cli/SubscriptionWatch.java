package dev.drydock.cli;

import dev.drydock.cli.webhook.BodyShape;
import dev.drydock.cli.webhook.Message;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A line for each notification; what is printed is acknowledged. */
@Command(
    name = "watch",
    description = "Print what the subscription is told, and acknowledge it.",
    mixinStandardHelpOptions = true)
final class SubscriptionWatch implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final Output output;
  @Mixin final SubscriptionReadOptions consuming = new SubscriptionReadOptions();

  SubscriptionWatch(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    consuming.run(around, connection, this::print);
    return ExitCode.OK;
  }

  private void print(Message message) {
    switch (output.format) {
      case TABLE, WIDE -> output.line(line(message));
      case NAME -> output.line(message.id());
      case JSON, JSONL -> output.line(TreeWriter.json(tree(message)));
      case YAML -> output.line(TreeWriter.yaml(tree(message)));
    }
  }

  private static Map<String, Object> tree(Message message) {
    return BodyShape.everything(message);
  }

  private static String line(Message message) {
    String why = message.reason().isEmpty() ? "" : ": " + message.reason();
    return message.at().truncatedTo(ChronoUnit.SECONDS) + " " + message.headline() + why;
  }
}
