package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.core.model.RepairLoad;
import dev.drydock.orchestrator.core.model.RunningInstance;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A batch whose workflow has just begun. */
final class Start {
  private Start() {}

  static BatchState of(Scenario scenario) {
    List<BatchHost> hosts =
        IntStream.range(0, scenario.hosts()).mapToObj(i -> host(scenario, i)).toList();
    Grant grant =
        new Grant(
            "g",
            "r",
            1,
            true,
            GrantStage.PROVISIONAL,
            false,
            Optional.empty(),
            false,
            Optional.empty(),
            scenario.onHostFailure(),
            Optional.empty());
    HookPolicy policy =
        new HookPolicy(new BatchHook.Source("p", 1, "team"), Set.of("db"), scenario.hooks());
    Map<String, RepairLoad> loads =
        hosts.stream().collect(Collectors.toMap(BatchHost::name, _ -> RepairLoad.NONE));
    BatchSnapshot rows =
        new BatchSnapshot(
            Rows.NOW,
            grant,
            "InPlace",
            Optional.empty(),
            hosts,
            false,
            List.of(),
            List.of(),
            List.of(),
            scenario.hooks().isEmpty() ? List.of() : List.of(policy),
            hosts.stream()
                .map(host -> new RunningInstance("i-" + host.name(), "db", host.name()))
                .toList(),
            List.of(),
            List.of(),
            new RepairLimits(1, 5, Duration.ofHours(1)),
            loads);
    return new BatchState(rows, scenario);
  }

  private static BatchHost host(Scenario scenario, int number) {
    return new BatchHost(
        "h" + (number + 1),
        "nomad",
        number < scenario.seemDone(),
        "",
        "",
        Optional.empty(),
        Optional.of("before"),
        new DrainTerms(
            Duration.ofMinutes(30),
            new LateDrain(scenario.way(), LateDrain.DEFAULT_REMIND, LateDrain.DEFAULT_EXPIRES)),
        scenario.ladder());
  }
}
