package dev.drydock.cli;

import picocli.CommandLine.Option;

/** How long a watch bears a server that does not answer. */
final class WatchRetryBudget {
  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description = "Keep watching while the server is away, at most this long (default: 300).")
  int seconds = 300;
}
