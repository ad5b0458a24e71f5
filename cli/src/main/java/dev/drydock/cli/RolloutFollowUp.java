package dev.drydock.cli;

import dev.drydock.api.Rollout;
import dev.drydock.proto.client.DrydockClient;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Another rollout for hosts of an earlier one; asking again with the same request is asking once.
 */
abstract sealed class RolloutFollowUp extends RolloutChangeCommand {
  @Mixin final RequestId request = new RequestId();

  private RolloutFollowUp(CliEnvironment around) {
    super(around);
  }

  /** Asks the server for the rollout; may be repeated. */
  abstract Rollout begun(DrydockClient client);

  @Override
  final Rollout change(DrydockClient client) {
    return request.asked(() -> begun(client));
  }

  @Command(
      name = "retry",
      description = "Start another rollout for the hosts that failed.",
      mixinStandardHelpOptions = true)
  static final class Retry extends RolloutFollowUp {
    Retry(CliEnvironment around) {
      super(around);
    }

    @Override
    Rollout begun(DrydockClient client) {
      return client.retryRollout(id, reason, request.value());
    }

    @Override
    String told(Rollout changed) {
      return "rollout %s brings %s of rollout %s to release %s once more"
          .formatted(
              changed.getId(), TextFormat.hosts(changed.getHostCount()), id, changed.getRelease());
    }
  }

  @Command(
      name = "revert",
      description = "Start another rollout that takes the upgraded hosts back.",
      mixinStandardHelpOptions = true)
  static final class Revert extends RolloutFollowUp {
    @Option(
        names = "--release",
        paramLabel = "NAME",
        description = "Where to; needed when the server does not know what the hosts had before.")
    @Nullable String release;

    Revert(CliEnvironment around) {
      super(around);
    }

    @Override
    Rollout begun(DrydockClient client) {
      return client.revertRollout(id, Optional.ofNullable(release), reason, request.value());
    }

    @Override
    String told(Rollout changed) {
      return "rollout %s takes %s of rollout %s back to release %s"
          .formatted(
              changed.getId(), TextFormat.hosts(changed.getHostCount()), id, changed.getRelease());
    }
  }
}
