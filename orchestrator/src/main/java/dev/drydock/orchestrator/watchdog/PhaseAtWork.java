package dev.drydock.orchestrator.watchdog;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A phase of one host that has not ended, or ended and was not followed by another.
 *
 * @param phase the step as the job board names it
 * @param took since its job was published, or since anything last happened to its batch
 * @param job empty when nothing of its batch is on the board
 */
record PhaseAtWork(
    String grant,
    String rollout,
    String host,
    String phase,
    Instant began,
    Duration took,
    Set<String> applications,
    String hardwareClass,
    String release,
    Optional<Work> job) {

  PhaseAtWork {
    applications = Set.copyOf(applications);
  }

  /**
   * A job that was not ended.
   *
   * @param offered whether a consumer could claim it: a Drain waits for its check
   * @param consumer who has it
   * @param quiet how long that one has not renewed its claim
   */
  record Work(
      String id,
      String topic,
      boolean offered,
      int attempt,
      Optional<String> consumer,
      Duration quiet) {}

  /** What phases like this one share: one for each application, one without if there is none. */
  List<Cohort> cohorts() {
    return (applications.isEmpty() ? Set.of("") : applications)
        .stream()
            .sorted()
            .map(application -> new Cohort(hardwareClass, release, application, phase))
            .toList();
  }

  /** Whose times are compared. */
  record Cohort(String hardwareClass, String release, String application, String phase) {}
}
