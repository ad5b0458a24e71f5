package dev.drydock.orchestrator.subscriptions;

import static dev.drydock.api.NotificationEvent.Back;
import static dev.drydock.api.NotificationEvent.Cancelled;
import static dev.drydock.api.NotificationEvent.Done;
import static dev.drydock.api.NotificationEvent.Down;
import static dev.drydock.api.NotificationEvent.Failed;
import static dev.drydock.api.NotificationEvent.Overdue;
import static dev.drydock.api.NotificationEvent.Paused;
import static dev.drydock.api.NotificationEvent.Quarantined;
import static dev.drydock.api.NotificationEvent.Requeued;
import static dev.drydock.api.NotificationEvent.Resumed;
import static dev.drydock.api.NotificationEvent.Started;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobStep;
import dev.drydock.api.NotificationEvent;
import dev.drydock.orchestrator.events.FeedEvent;
import dev.drydock.proto.Json;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What an event is in the words of teams; most events are nothing to them. */
final class NotificationWording {
  /** Each kind with the words its events may be. */
  private static final Map<EventKind, Set<NotificationEvent>> WORDS = words();

  private NotificationWording() {}

  private static Map<EventKind, Set<NotificationEvent>> words() {
    Map<EventKind, Set<NotificationEvent>> words = new EnumMap<>(EventKind.class);
    words.put(EventKind.RolloutCreated, Set.of(Started));
    words.put(EventKind.RolloutChanged, Set.of(Paused, Resumed));
    words.put(EventKind.RolloutEnded, Set.of(Done));
    words.put(EventKind.HostUpgradeChanged, Set.of(Started, Down, Cancelled));
    words.put(EventKind.HostUpgraded, Set.of(Done, Back));
    words.put(EventKind.HostSkipped, Set.of(Done));
    words.put(EventKind.HostRequeued, Set.of(Requeued, Back));
    words.put(EventKind.HostReverted, Set.of(Failed, Back));
    // That it was cancelled is told with its state.
    words.put(EventKind.HostCancelled, Set.of(Back));
    words.put(EventKind.HostQuarantined, Set.of(Quarantined, Back));
    words.put(EventKind.JobFailed, Set.of(Failed));
    words.put(EventKind.JobUnknown, Set.of(Failed));
    words.put(EventKind.JobExpired, Set.of(Failed));
    words.put(EventKind.DecisionAsked, Set.of(Paused));
    words.put(EventKind.DecisionAnswered, Set.of(Resumed));
    words.put(EventKind.PhaseOverdue, Set.of(Overdue));
    words.put(EventKind.PhaseGoesOn, Set.of(Resumed));
    words.put(EventKind.LockGranted, Set.of(Down));
    words.put(EventKind.LockQuarantined, Set.of(Quarantined, Back));
    words.put(EventKind.LockLapsed, Set.of(Back));
    words.put(EventKind.LockEnded, Set.of(Back));
    return words;
  }

  /** The kinds whose events may be one of the words. */
  static Set<EventKind> kinds(Set<NotificationEvent> words) {
    return WORDS.entrySet().stream()
        .filter(kind -> kind.getValue().stream().anyMatch(words::contains))
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(EventKind.class)));
  }

  /** All words there are, the most urgent first. */
  static Set<NotificationEvent> all() {
    return EnumSet.complementOf(EnumSet.of(NotificationEvent.$UNKNOWN));
  }

  /** What the event is, the most urgent first. */
  static Set<NotificationEvent> words(FeedEvent event) {
    EventKind kind =
        Arrays.stream(EventKind.values())
            .filter(known -> known.name().equals(event.kind()))
            .findFirst()
            .orElse(EventKind.$UNKNOWN);
    Set<NotificationEvent> words = EnumSet.noneOf(NotificationEvent.class);
    words.addAll(WORDS.getOrDefault(kind, Set.of()));
    switch (kind) {
      case RolloutChanged -> words.retainAll(ofRollout(data(event, "state")));
      case HostUpgradeChanged -> words.retainAll(ofHost(data(event, "state"), data(event, "step")));
      // A host that is looked at and found to need its upgrade has not failed.
      case JobFailed -> {
        if (data(event, "job").contains("." + JobStep.Verify + ".")) {
          words.clear();
        }
      }
      default -> {}
    }
    return words;
  }

  private static Set<NotificationEvent> ofRollout(String state) {
    return switch (state) {
      case "Paused" -> Set.of(Paused);
      case "Running" -> Set.of(Resumed);
      default -> Set.of();
    };
  }

  private static Set<NotificationEvent> ofHost(String state, String step) {
    return switch (state) {
      case "Cancelled" -> Set.of(Cancelled);
      case "InProgress" ->
          switch (step) {
            case "" -> Set.of(Started);
            case "Drain" -> Set.of(Down);
            default -> Set.of();
          };
      default -> Set.of();
    };
  }

  /** A particular of the event; empty if it has none of the name. */
  static String data(FeedEvent event, String field) {
    return String.valueOf(Json.readTree(event.data()).getOrDefault(field, ""));
  }
}
