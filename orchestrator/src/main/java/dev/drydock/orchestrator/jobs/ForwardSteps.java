package dev.drydock.orchestrator.jobs;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.core.model.Step;
import java.util.List;
import java.util.stream.Stream;

/**
 * The steps that only lead forward: consumers are given none of them once their batch goes back.
 */
final class ForwardSteps {
  private static final List<String> NAMES =
      Stream.of(Step.values()).filter(Step::leadsForward).map(Step::word).toList();

  private ForwardSteps() {}

  /** Whether a batch that goes back needs the step no more. */
  static boolean leads(JobStep step) {
    return NAMES.contains(step.name());
  }

  static List<String> names() {
    return NAMES;
  }
}
