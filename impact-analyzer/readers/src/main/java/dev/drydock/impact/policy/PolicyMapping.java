package dev.drydock.impact.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.Calendar;
import dev.drydock.impact.core.Canary;
import dev.drydock.impact.core.Controller;
import dev.drydock.impact.core.Desired;
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
    List<String> applications = new ArrayList<>();
    spec.path("applications").forEach(name -> applications.add(name.asText()));
    List<Rule> rules = new ArrayList<>();
    spec.path("capacity").forEach(rule -> rules.add(rule(rule)));
    Calendar calendar = Times.calendar(spec);
    if (!calendar.windows().isEmpty() || !calendar.blackouts().isEmpty()) {
      rules.add(calendar);
    }
    spec.path("health").path("gates").forEach(gate -> rules.add(gate(gate)));
    return new Policy(
        tree.path("metadata").path("name").asText(),
        0,
        tree.path("metadata").path("team").asText(),
        applications,
        rules,
        desired(spec.path("desired")),
        Times.duration(spec.path("health").path("maxAge"), Policy.DEFAULT_HEALTH_AGE_MAX),
        Times.duration(spec.path("drain").path("timeout"), Policy.DEFAULT_DRAIN_TIMEOUT),
        spec.has("batching"),
        canary(spec.path("canary")));
  }

  static List<Notice> notices(JsonNode tree) {
    List<Notice> notices = new ArrayList<>();
    for (JsonNode entry : tree.path("spec").path("notify")) {
      List<String> events = new ArrayList<>();
      entry.path("events").forEach(word -> events.add(word.asText()));
      notices.add(new Notice(entry.path("subscription").asText(), events));
    }
    return notices;
  }

  static Optional<FailureBudget> failure(JsonNode tree) {
    JsonNode failure = tree.path("spec").path("failure");
    return failure.isMissingNode()
        ? Optional.empty()
        : Optional.of(
            new FailureBudget(
                amount(failure.path("maxFailed")),
                failure.path("minSample").asInt(FailureBudget.DEFAULT_MIN_SAMPLE)));
  }

  /** By phase: how long it may take before the owners of its host are told. */
  static Map<String, Duration> timeouts(JsonNode tree) {
    Map<String, Duration> timeouts = new HashMap<>();
    tree.path("spec")
        .path("timeouts")
        .properties()
        .forEach(phase -> timeouts.put(phase.getKey(), Times.duration(phase.getValue())));
    return timeouts;
  }

  /** Checks that a host has to pass after its update, by name, beside what is always looked at. */
  static List<String> healthChecks(JsonNode tree) {
    List<String> names = new ArrayList<>();
    tree.path("spec").path("health").path("checks").forEach(name -> names.add(name.asText()));
    names.remove(ALWAYS);
    return names;
  }

  /** What is tried on a host before it is quarantined. */
  static Ladder ladder(JsonNode tree) {
    JsonNode remediation = tree.path("spec").path("remediation");
    return new Ladder(
        rungs(remediation.path("ladder")), Set.copyOf(rungs(remediation.path("approve"))));
  }

  private static List<Ladder.Rung> rungs(JsonNode words) {
    List<Ladder.Rung> rungs = new ArrayList<>();
    words.forEach(rung -> rungs.add(Ladder.Rung.of(rung.asText())));
    return rungs;
  }

  static LateDrain lateDrain(JsonNode tree) {
    JsonNode drain = tree.path("spec").path("drain");
    return drain.has("onTimeout")
        ? new LateDrain(
            LateDrain.Way.valueOf(drain.path("onTimeout").asText().toUpperCase(Locale.ROOT)),
            Times.duration(drain.path("ask").path("remind"), LateDrain.DEFAULT_REMIND),
            Times.duration(drain.path("ask").path("expires"), LateDrain.DEFAULT_EXPIRES))
        : LateDrain.UNSAID;
  }

  static OnHostFailure onHostFailure(JsonNode tree) {
    return OnHostFailure.of(tree.path("spec").path("onHostFailure").asText("Abort"));
  }

  private static Optional<Canary> canary(JsonNode canary) {
    return canary.isMissingNode()
        ? Optional.empty()
        : Optional.of(
            new Canary(canary.path("hosts").asInt(), Times.duration(canary.path("soak"))));
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
      case "disruptionInterval" -> new DisruptionInterval(Times.duration(value));
      case "disruptionRate" ->
          new DisruptionRate(amount(value.path("max")), Times.duration(value.path("per")));
      case "controller" ->
          new Controller(
              value.path("topic").asText(),
              Times.duration(value.path("timeout"), Controller.DEFAULT_TIMEOUT));
      default -> throw new IllegalStateException("the schema let the rule " + kind + " pass");
    };
  }

  private static Gate gate(JsonNode gate) {
    return new Gate(
        gate.path("promql").asText().strip(), Times.duration(gate.path("for"), Duration.ZERO));
  }

  private static Amount amount(JsonNode amount) {
    String text = amount.asText();
    return amount.isTextual()
        ? new Amount.Percent(Integer.parseInt(text.substring(0, text.length() - 1)))
        : new Amount.Count(amount.asInt());
  }

  private static Desired desired(JsonNode desired) {
    return desired.isNumber() ? new Desired.Exactly(desired.asInt()) : new Desired.FromScheduler();
  }
}
