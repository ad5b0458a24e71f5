package dev.drydock.cli;

import dev.drydock.api.Rollout;
import dev.drydock.proto.client.DrydockClient;
import picocli.CommandLine.Command;

@Command(
    name = "abort",
    description =
        "End a rollout: what has not begun is cancelled, what is not yet updated is brought back.",
    mixinStandardHelpOptions = true)
final class RolloutAbort extends RolloutChangeCommand {

  RolloutAbort(CliEnvironment around) {
    super(around);
  }

  @Override
  Rollout change(DrydockClient client) {
    return client.abortRollout(id, reason);
  }

  @Override
  String told(Rollout changed) {
    return "rollout %s is %s; %s in progress; drydock rollout watch %1$s stays until the last has ended"
        .formatted(
            changed.getId(),
            TableViews.word(changed.getState()),
            TextFormat.hosts(changed.getInProgress()));
  }
}
