package dev.drydock.orchestrator.intake;

import java.util.List;
import java.util.Optional;

/**
 * These hosts to that release, as somebody asks for it.
 *
 * @param hosts in the order in which they should be tried
 * @param requestId chosen by the client: asking again with it is asking once
 */
public record Submission(
    String release, String mode, List<String> hosts, String reason, Optional<String> requestId) {

  public Submission {
    hosts = List.copyOf(hosts);
  }
}
