package dev.drydock.orchestrator.core.testkit;

import dev.drydock.orchestrator.core.model.Job;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.util.HashMap;
import java.util.Map;

/** What a diagnosis says in a story. */
public final class Repaired {
  private Repaired() {}

  /** The host answers, and nothing runs on it. */
  public static Story answers(Story story, String host) {
    return diagnosed(story, host, "it answers", Map.of("diagnosis.reachable", "true"));
  }

  /** The host does not answer. */
  public static Story isGone(Story story, String host) {
    return diagnosed(story, host, "gone", Map.of("diagnosis.reachable", "false"));
  }

  /** The diagnosis ends with these facts. What the host has is known unless they say otherwise. */
  public static Story diagnosed(
      Story story, String host, String message, Map<String, String> facts) {
    Map<String, String> known = new HashMap<>(facts);
    known.putIfAbsent("diagnosis.signature", "odd");
    return story.end("Diagnose " + host, job -> found(story, job, message, known));
  }

  private static Job found(Story story, Job job, String message, Map<String, String> facts) {
    return JobBuilder.job(Step.REPAIR, job.host())
        .round(job.round())
        .run(job.run())
        .repair(RepairAction.DIAGNOSE)
        .createdAt(job.createdAt())
        .endedAt(story.now().now())
        .done()
        .saying(message)
        .facts(facts)
        .build();
  }
}
