package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import java.time.InstantSource;
import java.time.LocalTime;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows a rollout until it has ended; its exit code tells how. */
@Command(
    name = "watch",
    description = "Follow a rollout to its end.",
    mixinStandardHelpOptions = true)
final class RolloutWatch implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final Output output;
  @Mixin final WatchRetryBudget patience = new WatchRetryBudget();

  @Parameters(paramLabel = "ID", description = "The rollout.")
  String id = "";

  RolloutWatch(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    return watch(around, connection, output, patience, id);
  }

  static int watch(
      CliEnvironment around,
      Connection connection,
      Output output,
      WatchRetryBudget patience,
      String id)
      throws InterruptedException {
    ProgressView progressView = progress(around, output);
    try (DrydockClient client = connection.openWithoutRetries()) {
      RolloutFollower rolloutFollower = new RolloutFollower(client, around.err(), patience.seconds);
      RolloutSnapshot now = rolloutFollower.next(id);
      progressView.show(now);
      while (!now.hasEnded()) {
        now = rolloutFollower.next(id);
        progressView.show(now);
      }
      progressView.end(now);
      finish(around, output, now);
      return now.exitCode();
    }
  }

  private static ProgressView progress(CliEnvironment around, Output output) {
    return switch (output.format) {
      case JSONL -> new RecordProgress(output);
      case JSON, YAML, NAME -> new LineProgress(around.err(), LocalTime::now);
      case TABLE, WIDE ->
          around.terminal()
              ? new ScreenProgress(around.out(), InstantSource.system(), TerminalSize.read())
              : new LineProgress(around.out(), LocalTime::now);
    };
  }

  private static void finish(CliEnvironment around, Output output, RolloutSnapshot last) {
    if (output.format == Format.JSON
        || output.format == Format.YAML
        || output.format == Format.NAME) {
      RolloutGet.show(output, last.rollout(), last.hosts());
    }
    last.unwanted()
        .forEach(
            host ->
                around
                    .err()
                    .println(
                        "drydock: "
                            + host.getHost()
                            + " "
                            + host.getState()
                            + ": "
                            + host.getReason()));
  }
}
