package dev.drydock.cli.webhook;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * For whoever is on call: one incident per host and rollout, opened by what needs somebody and
 * closed by what shows that nobody is needed any more. The rest is none.
 */
final class PagerDutyShape implements BodyShape {
  private static final int SUMMARY_MAX = 1024;

  private final String routingKey;

  PagerDutyShape(String routingKey) {
    this.routingKey = routingKey;
  }

  @Override
  public Optional<Map<String, Object>> tree(Message message) {
    return switch (message.event()) {
      case "Quarantined", Message.LOST -> Optional.of(trigger(message, "critical"));
      case "Failed" -> Optional.of(trigger(message, "error"));
      case "Overdue", "Paused" -> Optional.of(trigger(message, "warning"));
      case "Done", "Resumed" -> Optional.of(event(message, "resolve"));
      case "Back" -> isWell(message) ? Optional.of(event(message, "resolve")) : Optional.empty();
      default -> Optional.empty();
    };
  }

  /** Work is also over on hosts that it left quarantined or on their old release. */
  private static boolean isWell(Message message) {
    return message.kind().equals("HostUpgraded") || message.kind().equals("LockEnded");
  }

  private Map<String, Object> event(Message message, String action) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("routing_key", routingKey);
    event.put("event_action", action);
    event.put("dedup_key", key(message));
    return event;
  }

  private Map<String, Object> trigger(Message message, String severity) {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("summary", summary(message));
    payload.put("source", message.host().or(message::rollout).orElse(message.subscription()));
    payload.put("severity", severity);
    payload.put("timestamp", message.at().toString());
    message.rollout().ifPresent(rollout -> payload.put("group", "rollout " + rollout));
    if (!message.applications().isEmpty()) {
      payload.put("component", String.join(", ", message.applications()));
    }
    message.failure().ifPresent(failure -> payload.put("class", failure.getSignature()));
    payload.put("custom_details", BodyShape.everything(message));
    Map<String, Object> event = event(message, "trigger");
    event.put("client", "Drydock");
    event.put("client_url", message.link().toString());
    event.put("links", List.of(Map.of("href", message.link().toString(), "text", "Drydock")));
    event.put("payload", payload);
    return event;
  }

  private static String summary(Message message) {
    String all =
        message.reason().isEmpty()
            ? message.headline()
            : message.headline() + ": " + message.reason();
    return all.length() <= SUMMARY_MAX ? all : all.substring(0, SUMMARY_MAX - 1) + "…";
  }

  /** A host, and apart from its hosts the rollout itself, is one incident. */
  private static String key(Message message) {
    return "drydock/"
        + message.rollout().orElse(message.subscription())
        + message.host().map(host -> "/" + host).orElse("");
  }
}
