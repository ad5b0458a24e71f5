package dev.drydock.orchestrator.intake;

import dev.drydock.api.RolloutOriginKind;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * These hosts to that release, as somebody asks for it.
 *
 * @param hosts in the order in which they should be tried; none where a selector says which
 * @param selector labels of the hosts, empty where these are named
 * @param requestId chosen by the client: asking again with it is asking once
 * @param priority the word of a RolloutPriority
 * @param plan the one that was looked at: nothing is started if it has become stale
 */
public record Submission(
    String release,
    String mode,
    List<String> hosts,
    String selector,
    String reason,
    Optional<String> requestId,
    String priority,
    Optional<PlanFacts.Named> plan,
    Terms terms) {

  public Submission {
    hosts = List.copyOf(hosts);
  }

  /**
   * What a submission says beside its hosts.
   *
   * @param startAt when to begin; empty: at once
   * @param changeTicket of the requester's own change management
   * @param origin the rollout whose hosts it takes up again
   */
  public record Terms(Optional<Instant> startAt, String changeTicket, Optional<Origin> origin) {
    public static final Terms NONE = new Terms(Optional.empty(), "", Optional.empty());
  }

  /** Where hosts come from that are taken up again. */
  public record Origin(RolloutOriginKind kind, String rollout) {}
}
