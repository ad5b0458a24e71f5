package dev.drydock.orchestrator.subscriptions;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.NotificationEvent;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.store.Sql;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Why a subscription, or a part of its filters, is never told anything as things are: silence that
 * nobody would notice. It is taken all the same, as policies and hosts may come later.
 */
final class SubscriptionWarnings {
  private SubscriptionWarnings() {}

  static List<ErrorDetail> of(Handle handle, SubscriptionRows.Row subscription) {
    SubscriptionFilter subscriptionFilter = subscription.interest();
    Set<String> owned = owned(handle, subscriptionFilter.team());
    List<ErrorDetail> warnings = new ArrayList<>();
    if (owned.isEmpty()) {
      warnings.add(
          ApiException.detail(
              "team",
              "team %s has no policy: it is told nothing until a policy of it covers an application"
                  .formatted(subscriptionFilter.team())));
    }
    subscriptionFilter.applications().stream()
        .sorted()
        .filter(application -> !owned.contains(application))
        .map(
            application ->
                ApiException.detail(
                    "applications",
                    "no policy of team %s covers %s: it is told nothing of it"
                        .formatted(subscriptionFilter.team(), application)))
        .forEach(warnings::add);
    for (String rollout : ended(handle, subscriptionFilter.rollouts())) {
      warnings.add(
          ApiException.detail(
              "rollouts", "rollout %s has ended: nothing more happens in it".formatted(rollout)));
    }
    Set<String> told = new HashSet<>(owned);
    if (!subscriptionFilter.applications().isEmpty()) {
      told.retainAll(subscriptionFilter.applications());
    }
    if (!told.isEmpty()
        && told.stream().noneMatch(application -> anyWord(subscriptionFilter, application))) {
      warnings.add(
          ApiException.detail(
              "events",
              "has none of the words that notify of the policies lets it hear: it is told"
                  + " nothing"));
    }
    return warnings;
  }

  private static boolean anyWord(SubscriptionFilter subscriptionFilter, String application) {
    Set<NotificationEvent> let =
        subscriptionFilter.narrowed().getOrDefault(application, NotificationWording.all());
    return subscriptionFilter.events().isEmpty()
        || subscriptionFilter.events().stream().anyMatch(let::contains);
  }

  private static Set<String> owned(Handle handle, String team) {
    return Set.copyOf(
        Sql.texts(
            handle,
            """
            SELECT a.application FROM policy_applications a
            WHERE :team = (SELECT p.team FROM policies p WHERE p.name = a.policy
                           ORDER BY p.version DESC LIMIT 1)
            """,
            Map.of("team", team)));
  }

  private static List<String> ended(Handle handle, Set<String> rollouts) {
    return Sql.texts(
        handle,
        "SELECT id FROM rollouts WHERE id = ANY (:rollouts) AND ended_at IS NOT NULL ORDER BY id",
        Map.of("rollouts", rollouts.stream().toList()));
  }
}
