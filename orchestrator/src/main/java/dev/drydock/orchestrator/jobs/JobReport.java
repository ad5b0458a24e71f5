package dev.drydock.orchestrator.jobs;

import dev.drydock.api.ApprovalAnswer;
import dev.drydock.api.DrainLeft;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.orchestrator.report.HostFacts;
import dev.drydock.proto.Json;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a consumer says at the end of a job.
 *
 * @param json the whole result as JSON of the wire record, long lists by their digest
 * @param facts all facts as they were sent
 * @param mark fetched after the last effect and before the instances were read
 * @param instances every instance on the host as just read
 * @param answer of a team's controller
 * @param left what a host still had that was not drained
 * @param state what a pre hook hands over
 * @param retryAfterSeconds of a hook that wants to be asked again
 */
public record JobReport(
    JobOutcome outcome,
    String message,
    String json,
    Map<String, String> facts,
    Optional<Long> mark,
    Optional<List<InstanceReport>> instances,
    Optional<ApprovalAnswer> answer,
    Optional<DrainLeft> left,
    Optional<String> state,
    Optional<Integer> retryAfterSeconds) {

  public static JobReport of(JobResult result) {
    Map<String, String> facts = Map.copyOf(result.getFacts());
    Map<String, Object> tree = new HashMap<>(Json.readTree(Json.write(result)));
    tree.put("facts", HostFacts.small(facts));
    return new JobReport(
        result.getOutcome(),
        result.getMessage(),
        Json.writeTree(tree),
        facts,
        Optional.ofNullable(result.getMark()),
        Optional.ofNullable(result.getInstances()),
        Optional.ofNullable(result.getAnswer()),
        Optional.ofNullable(result.getLeft()),
        Optional.ofNullable(result.getState()),
        Optional.ofNullable(result.getRetryAfterSeconds()));
  }
}
