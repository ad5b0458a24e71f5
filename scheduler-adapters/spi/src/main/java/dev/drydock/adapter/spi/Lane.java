package dev.drydock.adapter.spi;

import dev.drydock.api.JobStep;
import java.util.List;

/**
 * Jobs that share their slots, so that none waits behind another kind: drains last as long as
 * somebody's requests do, and whoever is to come back into service must not wait for that.
 */
enum Lane {
  BACK(List.of(JobStep.Recover, JobStep.Uncordon)),
  CORDON(List.of(JobStep.Cordon)),
  DRAIN(List.of(JobStep.Drain));

  private final List<JobStep> steps;

  Lane(List<JobStep> steps) {
    this.steps = steps;
  }

  List<JobStep> steps() {
    return steps;
  }
}
