package dev.drydock.orchestrator.events;

import java.time.Instant;
import java.util.Optional;

/**
 * An event as the feed gives it out.
 *
 * @param number its place in the feed, the cursor
 * @param data particulars, the text of one JSON object
 */
public record FeedEvent(
    long number,
    Instant at,
    String kind,
    Optional<String> rollout,
    Optional<String> host,
    String data) {}
