package dev.drydock.orchestrator.subscriptions;

import dev.drydock.api.NotificationEvent;
import dev.drydock.orchestrator.events.FeedEvent;
import dev.drydock.orchestrator.events.FeedFilter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What one subscription wants of what concerns its team. Pure, immutable.
 *
 * <p>Properties: it never wants an event that has none of the team's applications; a filter added,
 * or a policy that names it, never makes it want more.
 *
 * @param events empty for all, like the other filters
 * @param narrowed words by application, for those whose policy names the subscription: other words
 *     are not told of them
 */
record SubscriptionFilter(
    String team,
    Set<NotificationEvent> events,
    Set<String> applications,
    Set<String> rollouts,
    Map<String, Set<NotificationEvent>> narrowed)
    implements FeedFilter.Audience {
  SubscriptionFilter {
    events = Set.copyOf(events);
    applications = Set.copyOf(applications);
    rollouts = Set.copyOf(rollouts);
    narrowed = Map.copyOf(narrowed);
  }

  /** What is told of an event. */
  record Telling(NotificationEvent word, List<String> applications) {
    Telling {
      applications = List.copyOf(applications);
    }
  }

  @Override
  public boolean wants(FeedEvent event) {
    return telling(event).isPresent();
  }

  /** Empty if it is not wanted; else by the most urgent of the words that are. */
  Optional<Telling> telling(FeedEvent event) {
    boolean elsewhere = !rollouts.isEmpty() && event.rollout().filter(rollouts::contains).isEmpty();
    if (elsewhere) {
      return Optional.empty();
    }
    return NotificationWording.words(event).stream()
        .filter(word -> events.isEmpty() || events.contains(word))
        .map(word -> new Telling(word, wanted(event, word)))
        .filter(telling -> !telling.applications().isEmpty())
        .findFirst();
  }

  private List<String> wanted(FeedEvent event, NotificationEvent word) {
    return event.owners().getOrDefault(team, List.of()).stream()
        .filter(application -> applications.isEmpty() || applications.contains(application))
        .filter(
            application ->
                narrowed.getOrDefault(application, NotificationWording.all()).contains(word))
        .toList();
  }

  FeedFilter filter() {
    return FeedFilter.of(
        NotificationWording.kinds(events.isEmpty() ? NotificationWording.all() : events), this);
  }

  boolean sameFilters(SubscriptionFilter other) {
    return events.equals(other.events)
        && applications.equals(other.applications)
        && rollouts.equals(other.rollouts);
  }

  /** Words of a column; one of a newer version is none of ours. */
  static Set<NotificationEvent> words(List<String> names) {
    return NotificationWording.all().stream()
        .filter(word -> names.contains(word.name()))
        .collect(Collectors.toUnmodifiableSet());
  }
}
