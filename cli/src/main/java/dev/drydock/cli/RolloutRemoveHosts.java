package dev.drydock.cli;

import dev.drydock.api.Rollout;
import dev.drydock.proto.client.DrydockClient;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "remove",
    description = "Hosts that have not begun leave a rollout: they end Cancelled.",
    mixinStandardHelpOptions = true)
final class RolloutRemoveHosts extends RolloutChange {

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "HOST",
      description = "All of them, or none.")
  List<String> hosts = List.of();

  RolloutRemoveHosts(Surroundings around) {
    super(around);
  }

  @Override
  Rollout change(DrydockClient client) {
    return client.removeHosts(id, hosts, reason);
  }

  @Override
  String told(Rollout changed) {
    return "rollout %s has %s; %d waiting"
        .formatted(changed.getId(), Texts.hosts(changed.getHostCount()), changed.getPending());
  }
}
