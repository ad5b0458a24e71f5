package dev.drydock.orchestrator.events;

import dev.drydock.api.EventKind;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which events a reader wants.
 *
 * @param kinds empty for all
 * @param audience who is told; empty for readers of everything
 */
public record FeedFilter(
    Optional<String> rollout,
    Optional<String> host,
    Set<EventKind> kinds,
    Optional<Audience> audience) {
  /** Everything. */
  public static final FeedFilter ALL = new FeedFilter(Optional.empty(), Optional.empty(), Set.of());

  /** A reader on behalf of a team. Safe for use by many threads. */
  public interface Audience {
    /** Only events that concern it are looked at. */
    String team();

    /** Whether it wants this one of them. */
    boolean wants(FeedEvent event);
  }

  /** A filter for readers of everything. */
  public FeedFilter(Optional<String> rollout, Optional<String> host, Set<EventKind> kinds) {
    this(rollout, host, kinds, Optional.empty());
  }

  /** What a team wants of some kinds. */
  public static FeedFilter of(Set<EventKind> kinds, Audience audience) {
    return new FeedFilter(Optional.empty(), Optional.empty(), kinds, Optional.of(audience));
  }

  public FeedFilter {
    kinds = Set.copyOf(kinds);
  }

  boolean matches(FeedEvent event) {
    return (rollout.isEmpty() || rollout.equals(event.rollout()))
        && (host.isEmpty() || host.equals(event.host()))
        && (kinds.isEmpty() || kindNames().contains(event.kind()))
        && audience.filter(team -> !concerns(team, event)).isEmpty();
  }

  private static boolean concerns(Audience audience, FeedEvent event) {
    return event.owners().containsKey(audience.team()) && audience.wants(event);
  }

  Set<String> kindNames() {
    return kinds.stream().map(EventKind::name).collect(Collectors.toUnmodifiableSet());
  }
}
