package dev.drydock.cli;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.NotificationEvent;
import dev.drydock.api.Subscription;
import java.util.List;
import java.util.stream.Collectors;

/** The table of subscriptions. */
final class SubscriptionViews {
  static final Table<Subscription> SUBSCRIPTIONS =
      Table.<Subscription>of(Subscription::getId)
          .column("SUBSCRIPTION", Subscription::getId)
          .column("EVENTS", subscription -> words(subscription.getEvents()))
          .column("APPLICATIONS", subscription -> all(subscription.getApplications()))
          .column("ROLLOUTS", subscription -> all(subscription.getRollouts()))
          .column("ACKNOWLEDGED", Subscription::getAcknowledged)
          .column("LOST", subscription -> "" + subscription.getLost())
          .wide("POLICIES", subscription -> String.join(",", subscription.getPolicies()))
          .wide("CREATED", subscription -> TableViews.time(subscription.getCreatedAt()))
          .wide("BY", Subscription::getCreatedBy);

  private SubscriptionViews() {}

  /** Says why it is told nothing, if that is so. */
  static void warn(CliEnvironment around, Subscription subscription) {
    for (ErrorDetail warning : subscription.getWarnings()) {
      around
          .err()
          .println(
              "%s: %s: warning: %s"
                  .formatted(subscription.getId(), warning.getPath(), warning.getMessage()));
    }
  }

  private static String words(List<NotificationEvent> events) {
    return all(events.stream().map(NotificationEvent::name).toList());
  }

  private static String all(List<String> filter) {
    return filter.isEmpty() ? "all" : filter.stream().collect(Collectors.joining(","));
  }
}
