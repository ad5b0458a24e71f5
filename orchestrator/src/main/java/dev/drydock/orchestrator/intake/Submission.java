package dev.drydock.orchestrator.intake;

import java.util.List;
import java.util.Optional;

/**
 * These hosts to that release, as somebody asks for it.
 *
 * @param hosts in the order in which they should be tried
 * @param requestId chosen by the client: asking again with it is asking once
 * @param priority the word of a RolloutPriority
 * @param plan the one that was looked at: nothing is started if it has become stale
 */
public record Submission(
    String release,
    String mode,
    List<String> hosts,
    String reason,
    Optional<String> requestId,
    String priority,
    Optional<PlanRevision.Named> plan) {

  public Submission {
    hosts = List.copyOf(hosts);
  }
}
