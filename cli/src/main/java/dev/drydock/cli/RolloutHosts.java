package dev.drydock.cli;

import dev.drydock.api.Rollout;
import dev.drydock.proto.client.DrydockClient;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Hosts come to a rollout under way, or leave it: all that are named, or none. */
abstract sealed class RolloutHosts extends RolloutChangeCommand {

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "HOST",
      description = "All of them, or none.")
  List<String> hosts = List.of();

  private RolloutHosts(CliEnvironment around) {
    super(around);
  }

  @Override
  String told(Rollout changed) {
    return "rollout %s has %s; %d waiting"
        .formatted(changed.getId(), TextFormat.hosts(changed.getHostCount()), changed.getPending());
  }

  @Command(
      name = "add",
      description = "Hosts join a rollout, behind all that are in it.",
      mixinStandardHelpOptions = true)
  static final class Add extends RolloutHosts {
    Add(CliEnvironment around) {
      super(around);
    }

    @Override
    Rollout change(DrydockClient client) {
      return client.addHosts(id, hosts, reason);
    }
  }

  @Command(
      name = "remove",
      description = "Hosts that have not begun leave a rollout: they end Cancelled.",
      mixinStandardHelpOptions = true)
  static final class Remove extends RolloutHosts {
    Remove(CliEnvironment around) {
      super(around);
    }

    @Override
    Rollout change(DrydockClient client) {
      return client.removeHosts(id, hosts, reason);
    }
  }
}
