package dev.drydock.orchestrator.jobs;

import dev.drydock.api.InstanceReport;
import dev.drydock.api.JobOutcome;
import java.util.List;
import java.util.Optional;

/**
 * What a consumer says at the end of a job.
 *
 * @param json the whole result as JSON of the wire record
 * @param mark fetched after the last effect and before the instances were read
 * @param instances every instance on the host as just read
 */
public record Report(
    JobOutcome outcome,
    String message,
    String json,
    Optional<Long> mark,
    Optional<List<InstanceReport>> instances) {}
