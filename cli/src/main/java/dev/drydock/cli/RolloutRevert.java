package dev.drydock.cli;

import dev.drydock.api.Rollout;
import dev.drydock.proto.client.DrydockClient;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "revert",
    description = "Start another rollout that takes the upgraded hosts back.",
    mixinStandardHelpOptions = true)
final class RolloutRevert extends RolloutChange {
  @Mixin final RequestId request = new RequestId();

  @Option(
      names = "--release",
      paramLabel = "NAME",
      description = "Where to; needed when the server does not know what the hosts had before.")
  @Nullable String release;

  RolloutRevert(Surroundings around) {
    super(around);
  }

  @Override
  Rollout change(DrydockClient client) {
    return request.asked(
        () -> client.revertRollout(id, Optional.ofNullable(release), reason, request.value()));
  }

  @Override
  String told(Rollout changed) {
    return "rollout %s takes %s of rollout %s back to release %s"
        .formatted(changed.getId(), Texts.hosts(changed.getHostCount()), id, changed.getRelease());
  }
}
