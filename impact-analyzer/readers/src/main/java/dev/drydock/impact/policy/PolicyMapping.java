package dev.drydock.impact.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.Calendar;
import dev.drydock.impact.core.Canary;
import dev.drydock.impact.core.Controller;
import dev.drydock.impact.core.DesiredInstances;
import dev.drydock.impact.core.DisruptionInterval;
import dev.drydock.impact.core.DisruptionRate;
import dev.drydock.impact.core.Domain;
import dev.drydock.impact.core.FailureBudget;
import dev.drydock.impact.core.Gate;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.MaxDomainsInFlight;
import dev.drydock.impact.core.MaxUnavailable;
import dev.drydock.impact.core.MinAvailable;
import dev.drydock.impact.core.MinCapacity;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.core.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Turns a tree without faults into a policy. */
final class PolicyMapping {
  /** Names all that is looked at whatever policies say. */
  private static final String ALWAYS = "default";

  private PolicyMapping() {}

  static Policy policy(JsonNode tree) {
    JsonNode spec = tree.path("spec");
    List<Rule> rules = new ArrayList<>();
    spec.path("capacity").forEach(rule -> rules.add(rule(rule)));
    Calendar calendar = PolicyTimeParser.calendar(spec);
    if (!calendar.windows().isEmpty() || !calendar.blackouts().isEmpty()) {
      rules.add(calendar);
    }
    spec.path("health").path("gates").forEach(gate -> rules.add(gate(gate)));
    return new Policy(
        tree.path("metadata").path("name").asText(),
        0,
        tree.path("metadata").path("team").asText(),
        words(spec.path("applications")),
        rules,
        desired(spec.path("desired")),
        PolicyTimeParser.duration(
            spec.path("health").path("maxAge"), Policy.DEFAULT_HEALTH_AGE_MAX),
        PolicyTimeParser.duration(spec.path("drain").path("timeout"), Policy.DEFAULT_DRAIN_TIMEOUT),
        lateDrain(spec.path("drain")),
        spec.has("batching"),
        canary(spec.path("canary")));
  }

  static HostWorkPolicy handling(JsonNode spec) {
    return new HostWorkPolicy(
        Set.copyOf(words(spec.path("modes"))),
        notices(spec.path("notify")),
        failure(spec.path("failure")),
        HookList.read(spec),
        OnHostFailure.of(spec.path("onHostFailure").asText("Abort")),
        timeouts(spec.path("timeouts")),
        ladder(spec.path("remediation")),
        healthChecks(spec.path("health").path("checks")));
  }

  private static List<NotificationRule> notices(JsonNode notify) {
    List<NotificationRule> notices = new ArrayList<>();
    for (JsonNode entry : notify) {
      notices.add(
          new NotificationRule(entry.path("subscription").asText(), words(entry.path("events"))));
    }
    return notices;
  }

  private static Optional<FailureBudget> failure(JsonNode failure) {
    return failure.isMissingNode()
        ? Optional.empty()
        : Optional.of(
            new FailureBudget(
                amount(failure.path("maxFailed")),
                failure.path("minSample").asInt(FailureBudget.DEFAULT_MIN_SAMPLE)));
  }

  private static Map<String, Duration> timeouts(JsonNode phases) {
    Map<String, Duration> timeouts = new HashMap<>();
    phases
        .properties()
        .forEach(
            phase -> timeouts.put(phase.getKey(), PolicyTimeParser.duration(phase.getValue())));
    return timeouts;
  }

  private static List<String> healthChecks(JsonNode checks) {
    List<String> names = words(checks);
    names.remove(ALWAYS);
    return names;
  }

  private static Ladder ladder(JsonNode remediation) {
    return new Ladder(
        rungs(remediation.path("ladder")),
        Set.copyOf(rungs(remediation.path("approve"))),
        Set.copyOf(rungs(remediation.path("onUnknown"))));
  }

  private static List<Ladder.Rung> rungs(JsonNode list) {
    return words(list).stream().map(Ladder.Rung::of).toList();
  }

  private static List<String> words(JsonNode list) {
    List<String> words = new ArrayList<>();
    list.forEach(word -> words.add(word.asText()));
    return words;
  }

  private static LateDrain lateDrain(JsonNode drain) {
    return drain.has("onTimeout")
        ? new LateDrain(
            LateDrain.Way.valueOf(drain.path("onTimeout").asText().toUpperCase(Locale.ROOT)),
            PolicyTimeParser.duration(drain.path("ask").path("remind"), LateDrain.DEFAULT_REMIND),
            PolicyTimeParser.duration(drain.path("ask").path("expires"), LateDrain.DEFAULT_EXPIRES))
        : LateDrain.UNSAID;
  }

  private static Optional<Canary> canary(JsonNode canary) {
    return canary.isMissingNode()
        ? Optional.empty()
        : Optional.of(
            new Canary(
                canary.path("hosts").asInt(), PolicyTimeParser.duration(canary.path("soak"))));
  }

  private static Rule rule(JsonNode rule) {
    String kind = rule.fieldNames().next();
    JsonNode value = rule.path(kind);
    return switch (kind) {
      case "maxUnavailable" -> new MaxUnavailable(amount(value));
      case "minAvailable" ->
          value.isObject()
              ? new MinCapacity(amount(value.path("capacity")))
              : new MinAvailable(value.asInt());
      case "maxZonesInFlight" -> new MaxDomainsInFlight(new Domain.Zone(), value.asInt());
      case "maxDomainsInFlight" ->
          new MaxDomainsInFlight(
              new Domain.Label(value.path("topologyKey").asText()), value.path("max").asInt());
      case "disruptionInterval" -> new DisruptionInterval(PolicyTimeParser.duration(value));
      case "disruptionRate" ->
          new DisruptionRate(
              amount(value.path("max")), PolicyTimeParser.duration(value.path("per")));
      case "controller" ->
          new Controller(
              value.path("topic").asText(),
              PolicyTimeParser.duration(value.path("timeout"), Controller.DEFAULT_TIMEOUT));
      default -> throw new IllegalStateException("the schema let the rule " + kind + " pass");
    };
  }

  private static Gate gate(JsonNode gate) {
    return new Gate(
        gate.path("promql").asText().strip(),
        PolicyTimeParser.duration(gate.path("for"), Duration.ZERO));
  }

  private static Amount amount(JsonNode amount) {
    String text = amount.asText();
    return amount.isTextual()
        ? new Amount.Percent(Integer.parseInt(text.substring(0, text.length() - 1)))
        : new Amount.Count(amount.asInt());
  }

  private static DesiredInstances desired(JsonNode desired) {
    return desired.isNumber()
        ? new DesiredInstances.Exactly(desired.asInt())
        : new DesiredInstances.FromScheduler();
  }
}
