package dev.drydock.orchestrator.core.testkit;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.util.HashMap;
import java.util.Map;

/** What a diagnosis says in a story. */
public final class Repaired {
  private Repaired() {}

  /** The host answers, and nothing runs on it. */
  public static BatchScript answers(BatchScript batchScript, String host) {
    return diagnosed(batchScript, host, "it answers", Map.of("diagnosis.reachable", "true"));
  }

  /** The host does not answer. */
  public static BatchScript isGone(BatchScript batchScript, String host) {
    return diagnosed(batchScript, host, "gone", Map.of("diagnosis.reachable", "false"));
  }

  /** The diagnosis ends with these facts. What the host has is known unless they say otherwise. */
  public static BatchScript diagnosed(
      BatchScript batchScript, String host, String message, Map<String, String> facts) {
    Map<String, String> known = new HashMap<>(facts);
    known.putIfAbsent("diagnosis.signature", "odd");
    return batchScript.end(
        "Diagnose " + host, batchJob -> found(batchScript, batchJob, message, known));
  }

  private static BatchJob found(
      BatchScript batchScript, BatchJob batchJob, String message, Map<String, String> facts) {
    return JobBuilder.job(Step.REPAIR, batchJob.host())
        .round(batchJob.round())
        .run(batchJob.run())
        .repair(RepairAction.DIAGNOSE)
        .createdAt(batchJob.createdAt())
        .endedAt(batchScript.now().now())
        .done()
        .saying(message)
        .facts(facts)
        .build();
  }
}
