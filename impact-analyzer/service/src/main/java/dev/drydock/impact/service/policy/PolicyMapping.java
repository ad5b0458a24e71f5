package dev.drydock.impact.service.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.Desired;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.core.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Turns a tree that fits the schema into a policy. */
final class PolicyMapping {
  private PolicyMapping() {}

  static Policy policy(JsonNode tree) {
    JsonNode spec = tree.path("spec");
    List<String> applications = new ArrayList<>();
    spec.path("applications").forEach(name -> applications.add(name.asText()));
    List<Rule> rules = new ArrayList<>();
    spec.path("capacity").forEach(rule -> rules.add(rule(rule)));
    return new Policy(
        tree.path("metadata").path("name").asText(),
        0,
        tree.path("metadata").path("team").asText(),
        applications,
        rules,
        desired(spec.path("desired")),
        duration(spec.path("health").path("maxAge"), Policy.DEFAULT_HEALTH_AGE_MAX),
        duration(spec.path("drain").path("timeout"), Policy.DEFAULT_DRAIN_TIMEOUT));
  }

  private static Rule rule(JsonNode rule) {
    JsonNode minAvailable = rule.path("minAvailable");
    if (!minAvailable.isMissingNode()) {
      return new Rule.MinAvailable(minAvailable.asInt());
    }
    JsonNode amount = rule.path("maxUnavailable");
    String text = amount.asText();
    return new Rule.MaxUnavailable(
        amount.isTextual()
            ? new Amount.Percent(Integer.parseInt(text.substring(0, text.length() - 1)))
            : new Amount.Count(amount.asInt()));
  }

  private static Desired desired(JsonNode desired) {
    return desired.isNumber() ? new Desired.Exactly(desired.asInt()) : new Desired.FromScheduler();
  }

  private static Duration duration(JsonNode duration, Duration otherwise) {
    if (duration.isMissingNode()) {
      return otherwise;
    }
    String text = duration.asText();
    long number = Long.parseLong(text.substring(0, text.length() - 1));
    return switch (text.charAt(text.length() - 1)) {
      case 's' -> Duration.ofSeconds(number);
      case 'm' -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }
}
