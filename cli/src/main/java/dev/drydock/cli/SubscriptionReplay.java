package dev.drydock.cli;

import dev.drydock.proto.client.DrydockClient;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "replay",
    description = "Be told again what was acknowledged already; audited.",
    mixinStandardHelpOptions = true)
final class SubscriptionReplay implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;

  @Parameters(paramLabel = "NAME", description = "The subscription, or TEAM~NAME.")
  String name = "";

  @ArgGroup(multiplicity = "1")
  From from = new From();

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Why, for the audit trail.")
  String reason = "";

  /** Exactly one of them. */
  static final class From {
    @Option(
        names = "--cursor",
        paramLabel = "C",
        description = "What came after this cursor; 0 for everything that is kept.")
    @Nullable String cursor;

    @Option(
        names = "--since",
        paramLabel = "TIME",
        converter = TimestampParser.class,
        description = "What happened since, such as 2026-11-21T02:30:00Z.")
    @Nullable Instant since;

    @Option(
        names = "--last",
        paramLabel = "SPAN",
        converter = DurationParser.class,
        description = "What happened in so long until now, such as 2h.")
    @Nullable Duration last;
  }

  SubscriptionReplay(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      around.err().println(name + " goes on after cursor " + replay(client));
      return ExitCode.OK;
    }
  }

  private String replay(DrydockClient client) {
    if (from.cursor != null) {
      return client.replay(name, from.cursor, reason);
    }
    Instant since = from.last == null ? from.since : Instant.now().minus(from.last);
    return client.replay(name, since == null ? Instant.EPOCH : since, reason);
  }
}
