package dev.drydock.orchestrator.events;

import dev.drydock.api.EventKind;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which events a reader wants.
 *
 * @param kinds empty for all
 */
public record FeedFilter(Optional<String> rollout, Optional<String> host, Set<EventKind> kinds) {
  /** Everything. */
  public static final FeedFilter ALL = new FeedFilter(Optional.empty(), Optional.empty(), Set.of());

  public FeedFilter {
    kinds = Set.copyOf(kinds);
  }

  boolean matches(FeedEvent event) {
    return (rollout.isEmpty() || rollout.equals(event.rollout()))
        && (host.isEmpty() || host.equals(event.host()))
        && (kinds.isEmpty() || kindNames().contains(event.kind()));
  }

  Set<String> kindNames() {
    return kinds.stream().map(EventKind::name).collect(Collectors.toUnmodifiableSet());
  }
}
