package dev.drydock.cli;

import dev.drydock.cli.webhook.BodyShape;
import dev.drydock.cli.webhook.FolderReceiver;
import dev.drydock.cli.webhook.HttpReceiver;
import dev.drydock.cli.webhook.Receiver;
import dev.drydock.cli.webhook.RetryDelays;
import dev.drydock.cli.webhook.Webhook;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The team's own process between its subscription and its receiver: Drydock itself calls nobody.
 */
@Command(
    name = "deliver",
    description = {
      "Post what the subscription is told to a URL, and acknowledge what was taken.",
      "Ends only when it is interrupted, or when the receiver takes nothing for --retry-for; what"
          + " was not taken stays pending. May be killed and started again at any time."
    },
    mixinStandardHelpOptions = true)
final class SubscriptionDeliver implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final SubscriptionReadOptions consuming = new SubscriptionReadOptions();

  @Option(
      names = "--to",
      required = true,
      paramLabel = "URL",
      description = "The receiver, or a folder: file:/PATH.")
  URI to = URI.create("");

  @Option(
      names = "--as",
      paramLabel = "SHAPE",
      defaultValue = "json",
      description = "json, slack, pagerduty or ticket (default: json).")
  Shape shape = Shape.JSON;

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description = "Sign each body with the secret in this file (header Drydock-Signature).")
  @Nullable Path secretFile;

  @Option(
      names = "--routing-key-file",
      paramLabel = "FILE",
      description = "The routing key of the PagerDuty service; needed with --as pagerduty.")
  @Nullable Path routingKeyFile;

  @Option(
      names = "--retry-for",
      paramLabel = "TIME",
      defaultValue = "1h",
      converter = DurationParser.class,
      description = "Give up on a receiver that takes nothing for so long (default: 1h).")
  Duration retryFor = Duration.ofHours(1);

  enum Shape {
    JSON,
    SLACK,
    PAGERDUTY,
    TICKET
  }

  SubscriptionDeliver(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (secretFile != null && !Files.isReadable(secretFile)) {
      throw CommandFailure.usage("--secret-file " + secretFile + " cannot be read");
    }
    BodyShape body = body();
    try (Receiver receiver = receiver()) {
      Webhook webhook = new Webhook(receiver, body, RetryDelays.growing(), retryFor, around.err());
      try {
        consuming.run(around, connection, webhook);
      } catch (Webhook.GaveUp e) {
        throw new CommandFailure(ExitCode.TIMED_OUT, List.of(), String.valueOf(e.getMessage()));
      } finally {
        around
            .err()
            .println(
                "drydock: %d delivered, %d skipped"
                    .formatted(webhook.delivered(), webhook.skipped()));
      }
      return ExitCode.OK;
    }
  }

  private Receiver receiver() {
    if ("file".equals(to.getScheme()) && to.getPath() != null) {
      Path folder = Path.of(to.getPath());
      if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
        throw CommandFailure.usage("--to " + to + " must be a folder that can be written to");
      }
      if (secretFile != null) {
        throw CommandFailure.usage(
            "--secret-file signs what is posted; files in a folder carry no signature");
      }
      return new FolderReceiver(folder);
    }
    if (to.getHost() == null || !List.of("http", "https").contains(to.getScheme())) {
      throw CommandFailure.usage("--to " + to + " must look like https://HOST/PATH or file:/PATH");
    }
    return new HttpReceiver(to, Optional.ofNullable(secretFile), InstantSource.system());
  }

  private BodyShape body() {
    return switch (shape) {
      case JSON -> BodyShape.json();
      case SLACK -> BodyShape.slack();
      case TICKET -> BodyShape.ticket();
      case PAGERDUTY -> {
        if (routingKeyFile == null) {
          throw CommandFailure.usage("--as pagerduty needs --routing-key-file");
        }
        yield BodyShape.pagerDuty(
            TextFile.readAll(List.of(routingKeyFile), "nothing was delivered")
                .getFirst()
                .content()
                .strip());
      }
    };
  }
}
