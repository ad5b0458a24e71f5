package dev.drydock.cli;

import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Where the server is and who asks: flags, else the environment, else what the checkout that the
 * program was started from has, else a context of the configuration file. Whoever changes something
 * by the checkout's token is told so, as they did not choose it.
 */
final class Connection {
  /** Verbs that change nothing. */
  private static final Set<String> READS =
      Set.of(
          "get", "history", "lint", "list", "plan", "report", "status", "verify", "watch", "whoami",
          "why");

  private final CliEnvironment around;

  @Spec(Spec.Target.MIXEE)
  @Nullable CommandSpec command;

  private boolean told;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "Server (else DRYDOCK_URL, else the context's url).")
  @Nullable String url;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with the token (else DRYDOCK_TOKEN_FILE, else the context's tokenFile).")
  @Nullable Path tokenFile;

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description =
          "Context of ~/.config/drydock/config.yaml (else DRYDOCK_CONTEXT, else its current).")
  @Nullable String context;

  Connection(CliEnvironment around) {
    this.around = around;
  }

  DrydockClient open() {
    return new DrydockClient(config());
  }

  /** A client for calls that take longer than others. */
  DrydockClient open(Duration callTimeout) {
    return new DrydockClient(config().withCallTimeout(callTimeout));
  }

  /** A client that reports an outage at once: the caller says what it does about it. */
  DrydockClient openWithoutRetries() {
    return new DrydockClient(config().withRetryBudget(Duration.ZERO));
  }

  ClientConfig config() {
    String given = first(context, around.variable("DRYDOCK_CONTEXT")).orElse(null);
    String url = first(this.url, around.variable("DRYDOCK_URL")).orElse(null);
    String token =
        first(
                tokenFile == null ? null : tokenFile.toString(),
                around.variable("DRYDOCK_TOKEN_FILE"))
            .orElse(null);
    if (given == null) {
      url = url != null ? url : first(null, around.variable("DRYDOCK_DEFAULT_URL")).orElse(null);
      token = token != null ? token : checkouts().orElse(null);
    }
    if (url == null || token == null || context != null) {
      Optional<Contexts.Context> chosen = Contexts.read(around).choose(given);
      url = url != null ? url : chosen.map(Contexts.Context::url).orElse(null);
      token = token != null ? token : chosen.map(Contexts.Context::tokenFile).orElse(null);
    }
    if (url == null) {
      throw CommandFailure.usage(
          "no server given: use --url, DRYDOCK_URL or a context in " + Contexts.path(around));
    }
    if (token == null) {
      throw new CommandFailure(
          ExitCode.NOT_AUTHENTICATED,
          java.util.List.of(),
          "no token given: use --token-file, DRYDOCK_TOKEN_FILE or a context in "
              + Contexts.path(around));
    }
    return ClientConfig.of(parse(url), Path.of(token));
  }

  /** The token of the checkout. Nobody chose it, so who changes something by it is told. */
  private Optional<String> checkouts() {
    Optional<String> token = first(null, around.variable("DRYDOCK_DEFAULT_TOKEN_FILE"));
    if (token.isPresent() && !told && (command == null || !READS.contains(command.name()))) {
      told = true;
      Path file = Path.of(token.get());
      around
          .err()
          .println(
              "drydock: acts as %s, by the token of this checkout (another: --token-file, DRYDOCK_TOKEN_FILE or --context)"
                  .formatted(file.getFileName()));
    }
    return token;
  }

  private static Optional<String> first(@Nullable String flag, String variable) {
    return Stream.of(Optional.ofNullable(flag), Optional.of(variable).filter(v -> !v.isEmpty()))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static URI parse(String url) {
    try {
      URI parsed = new URI(url);
      if (parsed.getHost() != null
          && ("http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme()))) {
        return parsed;
      }
    } catch (URISyntaxException e) {
      throw CommandFailure.usage("the server's URL " + url + " cannot be read: " + e.getReason());
    }
    throw CommandFailure.usage("the server's URL " + url + " must look like http://HOST:PORT");
  }
}
