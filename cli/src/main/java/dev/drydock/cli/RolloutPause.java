package dev.drydock.cli;

import dev.drydock.api.Rollout;
import dev.drydock.proto.client.DrydockClient;
import picocli.CommandLine.Command;

@Command(
    name = "pause",
    description = "Let no host begin any more; those in progress go on to their end.",
    mixinStandardHelpOptions = true)
final class RolloutPause extends RolloutChangeCommand {

  RolloutPause(CliEnvironment around) {
    super(around);
  }

  @Override
  Rollout change(DrydockClient client) {
    return client.pauseRollout(id, reason);
  }

  @Override
  String told(Rollout changed) {
    return "rollout %s is paused; %s in progress, %d waiting; drydock rollout resume %1$s goes on"
        .formatted(
            changed.getId(), TextFormat.hosts(changed.getInProgress()), changed.getPending());
  }
}
