package dev.drydock.orchestrator.events;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An event as the feed gives it out.
 *
 * @param number its place in the feed, the cursor
 * @param data particulars, the text of one JSON object
 * @param owners applications it concerns by team; empty for kinds nobody is told of
 */
public record FeedEvent(
    long number,
    Instant at,
    String kind,
    Optional<String> rollout,
    Optional<String> host,
    String data,
    Map<String, List<String>> owners) {
  public FeedEvent {
    owners = Map.copyOf(owners);
  }
}
