package dev.drydock.orchestrator.subscriptions;

import dev.drydock.api.AlertSilence;
import dev.drydock.api.Notification;
import dev.drydock.api.NotificationEvent;
import dev.drydock.api.NotifiedFailure;
import dev.drydock.orchestrator.events.FeedEvent;
import dev.drydock.orchestrator.subscriptions.SubscriptionFilter.Telling;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.client.WireCollections;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Makes of events what a team is told, with what the rows know of them. */
final class NotificationBuilder {
  private NotificationBuilder() {}

  /** All of these are wanted, or were a moment ago. */
  static List<Notification> of(
      Jdbi jdbi, SubscriptionFilter subscriptionFilter, List<FeedEvent> events) {
    List<Notification> told = new ArrayList<>();
    if (!events.isEmpty()) {
      jdbi.useHandle(
          handle ->
              events.forEach(
                  event ->
                      subscriptionFilter
                          .telling(event)
                          .map(telling -> notification(handle, event, telling))
                          .ifPresent(told::add)));
    }
    return told;
  }

  private static Notification notification(Handle handle, FeedEvent event, Telling telling) {
    Optional<NotifiedFailure> failure = Failures.of(handle, event);
    Notification told =
        new Notification()
            .setId(id(event))
            .setCursor(String.valueOf(event.number()))
            .setAt(event.at().toEpochMilli())
            .setEvent(telling.word())
            .setKind(event.kind())
            .setApplications(WireCollections.strings(telling.applications()))
            .setReason(reason(event, failure));
    event.host().ifPresent(told::setHost);
    event.rollout().ifPresent(told::setRollout);
    event.rollout().flatMap(rollout -> release(handle, rollout)).ifPresent(told::setRelease);
    failure.ifPresent(told::setFailure);
    silence(handle, event).ifPresent(told::setSilence);
    return told;
  }

  /** With the time: a database that was restored gives the same numbers to other events. */
  private static String id(FeedEvent event) {
    return event.number() + "-" + event.at().toEpochMilli();
  }

  private static String reason(FeedEvent event, Optional<NotifiedFailure> failure) {
    String said = NotificationWording.data(event, "reason");
    return said.isEmpty() ? failure.map(NotifiedFailure::getMessage).orElse("") : said;
  }

  private static Optional<String> release(Handle handle, String rollout) {
    return Sql.find(
        handle, String.class, "SELECT release FROM rollouts WHERE id = :id", Map.of("id", rollout));
  }

  private static Optional<AlertSilence> silence(Handle handle, FeedEvent event) {
    Set<NotificationEvent> words = NotificationWording.words(event);
    if (event.host().isEmpty()) {
      return Optional.empty();
    }
    String host = event.host().get();
    long at = event.at().toEpochMilli();
    if (words.contains(NotificationEvent.Down)) {
      return Optional.of(new AlertSilence().setHost(host).setBegin(at));
    }
    return words.contains(NotificationEvent.Back)
        ? downSince(handle, event, host)
            .map(begin -> new AlertSilence().setHost(host).setBegin(begin).setEnd(at))
        : Optional.empty();
  }

  /** Empty for a host that did not go down. */
  private static Optional<Long> downSince(Handle handle, FeedEvent event, String host) {
    String sql =
        event.rollout().isPresent()
            ? """
              SELECT CAST(extract(epoch FROM min(created_at)) * 1000 AS bigint) FROM jobs
              WHERE grant_id = :of AND step = 'Drain' AND host = :host
              """
            : """
              SELECT CAST(extract(epoch FROM min(COALESCE(granted_at, at))) * 1000 AS bigint)
              FROM lock_history WHERE lock_id = :of AND what = 'Granted' AND :host = ANY (hosts)
              """;
    String of = NotificationWording.data(event, event.rollout().isPresent() ? "grant" : "lock");
    return Sql.find(handle, Long.class, sql, Map.of("of", of, "host", host));
  }
}
