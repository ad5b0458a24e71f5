package dev.drydock.cli.webhook;

import dev.drydock.api.NotifiedFailure;
import dev.drydock.api.TriedRepair;
import dev.drydock.proto.Json;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes the body of a webhook of a message. Pure. */
public interface BodyShape {
  /** As a JSON object; empty for a message that the receiver has no use for. */
  Optional<Map<String, Object>> tree(Message message);

  /** The text that is sent; empty for a message that the receiver has no use for. */
  default Optional<String> body(Message message) {
    return tree(message).map(Json::writeTree);
  }

  /** Everything, in our own words. */
  static BodyShape json() {
    return message -> Optional.of(everything(message));
  }

  /** A message of the incoming webhooks of Slack. */
  static BodyShape slack() {
    return new SlackShape();
  }

  /** An event of the PagerDuty Events API v2. */
  static BodyShape pagerDuty(String routingKey) {
    return new PagerDutyShape(routingKey);
  }

  /** A repair ticket: opened where a host is given to people, closed once it is free. */
  static BodyShape ticket() {
    return new TicketShape();
  }

  /** All that is known; what is not known is left out. */
  static Map<String, Object> everything(Message message) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("id", message.id());
    all.put("subscription", message.subscription());
    all.put("event", message.event());
    all.put("kind", message.kind());
    all.put("at", message.at().toString());
    message.host().ifPresent(host -> all.put("host", host));
    message.rollout().ifPresent(rollout -> all.put("rollout", rollout));
    message.release().ifPresent(release -> all.put("release", release));
    all.put("applications", List.copyOf(message.applications()));
    all.put("reason", message.reason());
    message.failure().ifPresent(failure -> all.put("failure", failure(failure)));
    message
        .silence()
        .ifPresent(
            silence ->
                all.put(
                    "silence",
                    Map.of(
                        "host", silence.host(),
                        "state", silence.ended() ? "end" : "begin",
                        "from", silence.from().toString(),
                        "until", silence.until().toString())));
    all.put("link", message.link().toString());
    return all;
  }

  private static Map<String, Object> failure(NotifiedFailure failure) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("step", failure.getStep().name());
    all.put("signature", failure.getSignature());
    all.put("message", failure.getMessage());
    all.put("job", failure.getJob());
    all.put("attempt", failure.getAttempt());
    if (!failure.getTried().isEmpty()) {
      all.put("tried", failure.getTried().stream().map(BodyShape::tried).toList());
    }
    return all;
  }

  private static Map<String, Object> tried(TriedRepair tried) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("action", tried.getAction());
    all.put("state", tried.getState().name());
    all.put("message", tried.getMessage());
    all.put("job", tried.getJob());
    Long ended = tried.getEndedAt();
    if (ended != null) {
      all.put("endedAt", Instant.ofEpochMilli(ended).toString());
    }
    return all;
  }
}
