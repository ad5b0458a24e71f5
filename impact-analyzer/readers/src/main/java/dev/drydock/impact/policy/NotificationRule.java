package dev.drydock.impact.policy;

import java.util.List;

/**
 * What one subscription of its team is told of the applications of a policy, and nothing else.
 *
 * @param events words of NotificationEvent
 */
public record NotificationRule(String subscription, List<String> events) {
  public NotificationRule {
    events = List.copyOf(events);
  }
}
