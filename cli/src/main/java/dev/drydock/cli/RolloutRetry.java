package dev.drydock.cli;

import dev.drydock.api.Rollout;
import dev.drydock.proto.client.DrydockClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "retry",
    description = "Start another rollout for the hosts that failed.",
    mixinStandardHelpOptions = true)
final class RolloutRetry extends RolloutChange {
  @Mixin final RequestId request = new RequestId();

  RolloutRetry(Surroundings around) {
    super(around);
  }

  @Override
  Rollout change(DrydockClient client) {
    return request.asked(() -> client.retryRollout(id, reason, request.value()));
  }

  @Override
  String told(Rollout changed) {
    return "rollout %s brings %s of rollout %s to release %s once more"
        .formatted(changed.getId(), Texts.hosts(changed.getHostCount()), id, changed.getRelease());
  }
}
