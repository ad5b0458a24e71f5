package dev.drydock.cli;

import dev.drydock.api.Rollout;
import dev.drydock.proto.client.DrydockClient;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "add",
    description = "Hosts join a rollout, behind all that are in it.",
    mixinStandardHelpOptions = true)
final class RolloutAddHosts extends RolloutChange {

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "HOST",
      description = "All of them, or none.")
  List<String> hosts = List.of();

  RolloutAddHosts(Surroundings around) {
    super(around);
  }

  @Override
  Rollout change(DrydockClient client) {
    return client.addHosts(id, hosts, reason);
  }

  @Override
  String told(Rollout changed) {
    return "rollout %s has %s; %d waiting"
        .formatted(changed.getId(), Texts.hosts(changed.getHostCount()), changed.getPending());
  }
}
