package dev.drydock.orchestrator.api;

import dev.drydock.orchestrator.blocked.BlockedQuestions;
import dev.drydock.orchestrator.drain.DrainQuestions;
import dev.drydock.orchestrator.remediation.RepairApprovals;
import dev.drydock.orchestrator.store.Onward;
import dev.drydock.platform.http.Resources;
import org.jdbi.v3.core.Jdbi;

/** The resources of what people are asked: drainQuestions, blockedBatches and repairApprovals. */
public final class QuestionResources {
  private QuestionResources() {}

  /**
   * All of them.
   *
   * @param onward moves batches on when questions are answered
   */
  public static Resources of(Jdbi jdbi, Onward onward) {
    return Resources.of(
            DrainQuestionsResource.class,
            () -> new DrainQuestionsResource(new DrainQuestions(jdbi, onward)))
        .and(
            BlockedBatchesResource.class,
            () -> new BlockedBatchesResource(new BlockedQuestions(jdbi, onward)))
        .and(
            RepairApprovalsResource.class,
            () -> new RepairApprovalsResource(new RepairApprovals(jdbi, onward)));
  }
}
