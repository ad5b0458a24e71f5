package dev.drydock.orchestrator.activity;

import dev.drydock.impact.core.FailureBudget;
import java.util.List;

/** How many hosts of a rollout may fail, by the policies in force. */
@FunctionalInterface
public interface FailureBudgets {

  /** Of the policies that say, by name. */
  List<InForce> inForce();

  /**
   * What one policy allows.
   *
   * @param applications whose hosts it is about
   */
  record InForce(String policy, int version, List<String> applications, FailureBudget budget) {
    public InForce {
      applications = List.copyOf(applications);
    }
  }
}
