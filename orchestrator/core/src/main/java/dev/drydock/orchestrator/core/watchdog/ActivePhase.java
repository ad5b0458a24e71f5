package dev.drydock.orchestrator.core.watchdog;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A phase of one host that has not ended, or that ended while no other phase followed.
 *
 * @param phase the step as the job board names it
 * @param took how long ago its job was published, or, without a job, how long ago anything last
 *     happened to its batch
 * @param job its job; empty while the batch has no job on the board
 */
public record ActivePhase(
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

  public ActivePhase {
    applications = Set.copyOf(applications);
  }

  /**
   * A job that has not ended.
   *
   * @param offered whether a consumer could claim it; a Drain is not offered before its check
   *     passed
   * @param consumer the consumer that has it
   * @param quiet how long that consumer has not renewed its claim
   */
  public record Work(
      String id,
      String topic,
      boolean offered,
      int attempt,
      Optional<String> consumer,
      Duration quiet) {}

  /**
   * The cohorts that this phase is compared with: one for each application on the host, or one
   * without an application if none runs there.
   */
  public List<Cohort> cohorts() {
    return (applications.isEmpty() ? Set.of("") : applications)
        .stream()
            .sorted()
            .map(application -> new Cohort(hardwareClass, release, application, phase))
            .toList();
  }

  /**
   * Phases whose times are compared: of hosts of one hardware class that run one application and
   * are brought to one release.
   */
  public record Cohort(String hardwareClass, String release, String application, String phase) {}
}
