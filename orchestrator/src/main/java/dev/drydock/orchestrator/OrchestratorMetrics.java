package dev.drydock.orchestrator;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.JobBoard;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.platform.metrics.Metrics;
import java.util.Map;

/** Sets the gauges that are counted in the database rather than in this process. */
final class OrchestratorMetrics {
  private final RolloutStore rollouts;
  private final JobBoard board;
  private final Metrics metrics;

  OrchestratorMetrics(RolloutStore rollouts, JobBoard board, Metrics metrics) {
    this.rollouts = rollouts;
    this.board = board;
    this.metrics = metrics;
  }

  void measure() {
    Map<String, Long> hosts = rollouts.hostsOfOpenRollouts();
    for (HostUpgradeState state : HostUpgradeState.values()) {
      if (state != HostUpgradeState.$UNKNOWN) {
        metrics.hosts.labelValues(state.name()).set(hosts.getOrDefault(state.name(), 0L));
      }
    }
    Map<String, Long> jobs = board.openByStep();
    for (JobStep step : JobStep.values()) {
      if (step != JobStep.$UNKNOWN) {
        metrics.jobsOpen.labelValues(step.name()).set(jobs.getOrDefault(step.name(), 0L));
      }
    }
  }
}
