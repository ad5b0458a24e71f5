package dev.drydock.cli;

import dev.drydock.proto.client.CallException;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Makes asking again asking once, also from another invocation. */
final class RequestId {
  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description = "The same id again answers the rollout of the first time.")
  @Nullable String given;

  private final String own = UUID.randomUUID().toString();

  String value() {
    return given == null ? own : given;
  }

  /** If no answer came, says how to hear it. */
  <R extends Object> R asked(Supplier<R> call) {
    try {
      return call.get();
    } catch (CallException e) {
      throw explained(CommandFailure.of(e), e);
    }
  }

  CommandFailure explained(CommandFailure commandFailure, CallException e) {
    return e.status() == 0
        ? commandFailure.but(
            "it may have started; --request-id " + value() + " answers the same one")
        : commandFailure;
  }
}
