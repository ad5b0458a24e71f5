package dev.drydock.impact.service;

import dev.drydock.api.ErrorDetail;
import dev.drydock.impact.policy.NotificationRule;
import dev.drydock.impact.policy.PolicyParser.Parsed;
import dev.drydock.platform.http.ApiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** What policies tell subscriptions, within a transaction of the caller. */
final class PolicyNotices {
  private PolicyNotices() {}

  /**
   * Sees to it that the subscriptions exist, and go on to exist until the transaction ends: one
   * that nobody reads would be silence nobody notices.
   *
   * @throws ApiException 422 naming those that do not
   */
  static void refuseUnknown(Handle handle, String team, Parsed parsed) {
    List<NotificationRule> notices = parsed.handling().notices();
    Set<String> known =
        Set.copyOf(
            handle
                .createQuery(
                    """
                    SELECT name FROM subscriptions WHERE team = :team AND name = ANY (:names)
                    ORDER BY name FOR SHARE
                    """)
                .bind("team", team)
                .bind(
                    "names",
                    notices.stream().map(NotificationRule::subscription).toArray(String[]::new))
                .mapTo(String.class)
                .list());
    List<ErrorDetail> faults = new ArrayList<>();
    for (int i = 0; i < notices.size(); i++) {
      String name = notices.get(i).subscription();
      String path = "spec.notify[" + i + "].subscription";
      if (!known.contains(name)) {
        faults.add(
            ApiException.detail(
                path,
                parsed.lines().getOrDefault(path, 1),
                "team %s has no subscription %s: create it first, by drydock subscription create"
                    .formatted(team, name)));
      }
    }
    if (!faults.isEmpty()) {
      throw PolicyStore.invalid(faults);
    }
  }

  /** What the newest version says, in place of the one before. */
  static void replace(Handle handle, String policy, List<NotificationRule> notices) {
    handle.execute("DELETE FROM policy_notices WHERE policy = ?", policy);
    for (NotificationRule notificationRule : notices) {
      handle
          .createUpdate(
              """
              INSERT INTO policy_notices (policy, subscription, events)
              VALUES (:policy, :subscription, :events)
              """)
          .bind("policy", policy)
          .bind("subscription", notificationRule.subscription())
          .bindArray("events", String.class, notificationRule.events())
          .execute();
    }
  }
}
