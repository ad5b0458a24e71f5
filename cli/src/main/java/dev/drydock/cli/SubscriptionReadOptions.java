package dev.drydock.cli;

import dev.drydock.cli.webhook.Message;
import dev.drydock.cli.webhook.NotificationDelivery;
import dev.drydock.cli.webhook.RetryDelays;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which subscription is read and for how long: the words that watch and deliver have in common. */
final class SubscriptionReadOptions {
  /** Twice the longest that a call waits for a notification. */
  private static final Duration CALL_MAX = Duration.ofSeconds(40);

  @Parameters(paramLabel = "NAME", description = "The subscription, or TEAM~NAME.")
  String name = "";

  @Option(names = "--once", description = "End when nothing is pending any more.")
  boolean once;

  @Option(
      names = "--console",
      paramLabel = "URL",
      description = "Where people open the console, for links (default: the server).")
  @Nullable URI console;

  @Option(
      names = "--silence-max",
      paramLabel = "TIME",
      defaultValue = "4h",
      converter = DurationParser.class,
      description =
          "Until when alerts about a host that goes down may be silenced if nobody says that it is"
              + " back (default: 4h).")
  Duration silenceMax = Duration.ofHours(4);

  /** Goes on until it is interrupted, or with {@code --once} until nothing is pending. */
  void run(CliEnvironment around, Connection connection, NotificationDelivery.Sink sink)
      throws InterruptedException {
    ClientConfig config =
        connection.config().withCallTimeout(CALL_MAX).withRetryBudget(Duration.ZERO);
    Message.Context context =
        new Message.Context(name, console == null ? config.url() : console, silenceMax);
    try (DrydockClient client = new DrydockClient(config)) {
      new NotificationDelivery(client, context, sink, RetryDelays.growing(), around.err())
          .run(once);
    }
  }
}
