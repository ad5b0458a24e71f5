package dev.drydock.cli;

import dev.drydock.api.HostUpgrade;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutCanaries;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "get", description = "One rollout with its hosts.", mixinStandardHelpOptions = true)
final class RolloutGet implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "ID", description = "The rollout.")
  String id = "";

  RolloutGet(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      show(output, client.rollout(id), client.hostUpgrades(id));
      return ExitCode.OK;
    }
  }

  /**
   * The rollout and its hosts: two tables for people, one record with {@code hostUpgrades} for
   * programs.
   */
  static void show(Output output, Rollout rollout, List<HostUpgrade> hosts) {
    output.one(rollout, TableViews.ROLLOUTS, record -> withHosts(record, hosts));
    if (output.format.isForPeople()) {
      rollout.getCanaries().forEach(canaries -> output.say(told(canaries)));
      output.say("");
      output.list(hosts, TableViews.HOST_UPGRADES, WireCollections::tree);
    }
  }

  private static String told(RolloutCanaries canaries) {
    return "canaries of policy %s: %s; %s"
        .formatted(
            canaries.getPolicy(),
            String.join(", ", canaries.getHosts()),
            canaries.hasPassedAt()
                ? "passed " + TableViews.time(canaries.getPassedAt())
                : "the rest " + canaries.getSays());
  }

  private static Map<String, Object> withHosts(Rollout rollout, List<HostUpgrade> hosts) {
    Map<String, Object> tree = new LinkedHashMap<>(WireCollections.tree(rollout));
    tree.put("hostUpgrades", hosts.stream().map(WireCollections::tree).toList());
    return tree;
  }
}
