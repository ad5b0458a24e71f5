package dev.drydock.cli;

import dev.drydock.api.Rollout;
import dev.drydock.proto.client.DrydockClient;
import picocli.CommandLine.Command;

@Command(
    name = "resume",
    description = "Let the hosts of a paused rollout begin again.",
    mixinStandardHelpOptions = true)
final class RolloutResume extends RolloutChangeCommand {

  RolloutResume(CliEnvironment around) {
    super(around);
  }

  @Override
  Rollout change(DrydockClient client) {
    return client.resumeRollout(id, reason);
  }

  @Override
  String told(Rollout changed) {
    return "rollout %s is %s; %s waiting"
        .formatted(
            changed.getId(),
            TableViews.word(changed.getState()),
            TextFormat.hosts(changed.getPending()));
  }
}
