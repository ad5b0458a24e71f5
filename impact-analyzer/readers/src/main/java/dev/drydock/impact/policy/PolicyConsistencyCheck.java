package dev.drydock.impact.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.drydock.impact.core.Controller;
import dev.drydock.impact.core.LateDrain;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Finds what fits the schema and still makes no sense: what contradicts itself or never holds. */
final class PolicyConsistencyCheck {
  private static final Duration SPAN_MAX = Duration.ofHours(168);
  private static final Set<String> ZONES = ZoneId.getAvailableZoneIds();
  private static final Set<String> LIMITS =
      Set.of("maxUnavailable", "minAvailable", "maxZonesInFlight", "maxDomainsInFlight");

  /** A mode, and what may be tried on a host that failed by another. */
  private static final String REIMAGE = "Reimage";

  private static final String QUOTED = "\"(\\\\.|[^\"\\\\])*\"|'(\\\\.|[^'\\\\])*'|`[^`]*`";
  private static final Pattern COMPARISON = Pattern.compile("[<>]|==|!=");
  private static final Pattern BOOL = Pattern.compile("\\bbool\\b");

  private final PolicyText text;
  private final JsonNode spec;
  private final List<PolicyFault> faults = new ArrayList<>();

  private PolicyConsistencyCheck(PolicyText text) {
    this.text = text;
    this.spec = text.tree().path("spec");
  }

  /** Applications listed twice are found in any text, the rest once the schema is content. */
  static List<PolicyFault> faults(PolicyText text, boolean fitsSchema) {
    PolicyConsistencyCheck policyConsistencyCheck = new PolicyConsistencyCheck(text);
    policyConsistencyCheck.applications();
    if (fitsSchema) {
      policyConsistencyCheck.capacity();
      policyConsistencyCheck.spans();
      policyConsistencyCheck.controllers();
      policyConsistencyCheck.zones("windows");
      policyConsistencyCheck.zones("blackouts");
      policyConsistencyCheck.blackouts();
      policyConsistencyCheck.gates();
      policyConsistencyCheck.notices();
      policyConsistencyCheck.lateDrain();
      policyConsistencyCheck.hooks();
      policyConsistencyCheck.modes();
      policyConsistencyCheck.ladder();
      policyConsistencyCheck.once("health.checks", "is listed twice");
      if (policyConsistencyCheck.faults.isEmpty()) {
        policyConsistencyCheck.windows();
      }
    }
    return policyConsistencyCheck.faults;
  }

  private void fault(String path, String message) {
    faults.add(new PolicyFault(path, text.line(path), message));
  }

  private void applications() {
    Set<String> seen = new HashSet<>();
    int index = 0;
    for (JsonNode application : spec.path("applications")) {
      String path = "spec.applications[" + index++ + "]";
      if (application.isTextual() && !seen.add(application.asText())) {
        fault(path, "application " + application.asText() + " is listed twice");
      }
    }
  }

  private void capacity() {
    boolean limited = false;
    int index = 0;
    for (JsonNode rule : spec.path("capacity")) {
      limited |= LIMITS.contains(rule.fieldNames().next());
      String path = "spec.capacity[" + index + "].minAvailable";
      int least = rule.path("minAvailable").asInt(0);
      if (spec.path("desired").isNumber()
          && rule.path("minAvailable").path("capacity").isTextual()) {
        fault(
            path + ".capacity",
            "is a share, and spec.desired is a number of instances, whose sizes nobody knows: state"
                + " units, or desired: fromScheduler");
      }
      if (spec.path("desired").isNumber() && least > spec.path("desired").asInt()) {
        fault(
            path,
            "is %d, and spec.desired is %d: nothing could ever be taken down"
                .formatted(least, spec.path("desired").asInt()));
      }
      index++;
    }
    if (!limited) {
      fault(
          "spec.capacity",
          "does not limit how much is down at once: add maxUnavailable, minAvailable,"
              + " maxZonesInFlight or maxDomainsInFlight");
    }
  }

  /** What happened is remembered for so long. */
  private void spans() {
    int index = 0;
    for (JsonNode rule : spec.path("capacity")) {
      String path = "spec.capacity[" + index++ + "].";
      span(path + "disruptionInterval", rule.path("disruptionInterval"));
      span(path + "disruptionRate.per", rule.path("disruptionRate").path("per"));
    }
    span("spec.expectedDuration", spec.path("expectedDuration"));
    span("spec.canary.soak", spec.path("canary").path("soak"));
    spec.path("timeouts")
        .properties()
        .forEach(phase -> span("spec.timeouts." + phase.getKey(), phase.getValue()));
  }

  private void controllers() {
    Set<String> seen = new HashSet<>();
    int index = 0;
    for (JsonNode rule : spec.path("capacity")) {
      String path = "spec.capacity[" + index++ + "].controller.";
      JsonNode controller = rule.path("controller");
      String topic = controller.path("topic").asText();
      if (!controller.isMissingNode() && !seen.add(topic)) {
        fault(path + "topic", "topic " + topic + " is listed twice: one controller answers once");
      }
      JsonNode timeout = controller.path("timeout");
      if (!timeout.isMissingNode()
          && PolicyTimeParser.duration(timeout).compareTo(Controller.TIMEOUT_MAX) > 0) {
        fault(
            path + "timeout",
            "is '%s', must be at most %ds"
                .formatted(timeout.asText(), Controller.TIMEOUT_MAX.toSeconds()));
      }
    }
  }

  private void span(String path, JsonNode span) {
    if (!span.isMissingNode() && PolicyTimeParser.duration(span).compareTo(SPAN_MAX) > 0) {
      fault(path, "is '%s', must be at most %dh".formatted(span.asText(), SPAN_MAX.toHours()));
    }
  }

  private void zones(String list) {
    int index = 0;
    for (JsonNode entry : spec.path(list)) {
      String path = "spec." + list + "[" + index++ + "].timezone";
      String zone = entry.path("timezone").asText("UTC");
      if (!ZONES.contains(zone)) {
        String similar =
            SpellingSuggestion.nearest(zone, ZONES)
                .map(name -> ": did you mean " + name + "?")
                .orElse("");
        fault(path, "'%s' is no IANA time zone%s".formatted(zone, similar));
      }
    }
  }

  private void blackouts() {
    int index = 0;
    for (JsonNode blackout : spec.path("blackouts")) {
      String path = "spec.blackouts[" + index++ + "]";
      boolean days = true;
      for (String field : List.of("from", "to")) {
        days &= isMoment(path + "." + field, blackout.path(field).asText());
      }
      if (days && ZONES.contains(blackout.path("timezone").asText("UTC"))) {
        var read = PolicyTimeParser.blackout(blackout);
        if (!read.from().isBefore(read.to())) {
          fault(path + ".to", "is not after from");
        }
      }
    }
  }

  private void gates() {
    int index = 0;
    for (JsonNode gate : spec.path("health").path("gates")) {
      String path = "spec.health.gates[" + index++ + "].";
      // What stands in quotes or braces compares labels, not values.
      String bare = gate.path("promql").asText().replaceAll(QUOTED, "").replaceAll("\\{[^}]*}", "");
      if (!COMPARISON.matcher(bare).find()) {
        fault(
            path + "promql",
            "compares nothing: it would be true whatever the value; add such as > 0.99");
      } else if (BOOL.matcher(bare).find()) {
        fault(
            path + "promql",
            "compares with bool: that has a result when it is false too; leave bool out");
      }
      span(path + "for", gate.path("for"));
    }
  }

  private void notices() {
    Set<String> seen = new HashSet<>();
    int index = 0;
    for (JsonNode entry : spec.path("notify")) {
      String path = "spec.notify[" + index++ + "].subscription";
      String name = entry.path("subscription").asText();
      if (!seen.add(name)) {
        fault(path, "subscription " + name + " is listed twice: put all its events in one entry");
      }
    }
  }

  private void modes() {
    Set<String> modes = once("modes", "is listed twice");
    if (!modes.isEmpty()
        && !modes.contains(REIMAGE)
        && spec.at("/remediation/ladder").valueStream().anyMatch(r -> r.asText().equals(REIMAGE))) {
      fault(
          "spec.remediation.ladder",
          "has %s, and spec.modes has not: allow it there, or take it off the ladder"
              .formatted(REIMAGE));
    }
  }

  private void ladder() {
    Set<String> ladder = once("remediation.ladder", "is listed twice: each is tried once");
    for (String list : List.of("remediation.approve", "remediation.onUnknown")) {
      Set<String> named = once(list, "is listed twice");
      named.removeAll(ladder);
      if (!named.isEmpty()) {
        fault(
            "spec." + list,
            "names %s, which is not on the ladder: it is never tried"
                .formatted(String.join(", ", named)));
      }
    }
  }

  /** The words of a list of which none is to be there twice. */
  private Set<String> once(String list, String twice) {
    Set<String> seen = new TreeSet<>();
    int index = 0;
    for (JsonNode word : spec.at("/" + list.replace('.', '/'))) {
      String path = "spec." + list + "[" + index++ + "]";
      if (!seen.add(word.asText())) {
        fault(path, word.asText() + " " + twice);
      }
    }
    return seen;
  }

  private void lateDrain() {
    JsonNode ask = spec.path("drain").path("ask");
    String way = spec.path("drain").path("onTimeout").asText();
    if (ask.isMissingNode()) {
      return;
    }
    if (!Set.of("Ask", "Force").contains(way)) {
      fault(
          "spec.drain.ask",
          "says how people are asked, and nobody is: it needs spec.drain.onTimeout Ask or Force");
    }
    span("spec.drain.ask.expires", ask.path("expires"));
    Duration remind = PolicyTimeParser.duration(ask.path("remind"), LateDrain.DEFAULT_REMIND);
    Duration expires = PolicyTimeParser.duration(ask.path("expires"), LateDrain.DEFAULT_EXPIRES);
    if (ask.has("remind") && remind.compareTo(expires) >= 0) {
      fault(
          "spec.drain.ask.remind",
          "is '%s', must be shorter than expires (%s): nobody would be reminded"
              .formatted(ask.path("remind").asText(), ask.path("expires").asText("1h")));
    }
  }

  private void hooks() {
    HookList.faults(spec).forEach((path, message) -> fault(path, message));
    for (String list : List.of("pre", "post")) {
      int index = 0;
      for (JsonNode hook : spec.path("hooks").path(list)) {
        span("spec.hooks.%s[%d].timeout".formatted(list, index++), hook.path("timeout"));
      }
    }
  }

  private boolean isMoment(String path, String moment) {
    try {
      PolicyTimeParser.moment(moment);
      return true;
    } catch (DateTimeException none) {
      fault(path, "is '%s': there is no such day".formatted(moment));
      return false;
    }
  }

  private void windows() {
    if (!PolicyTimeParser.calendar(spec).fitsSomewhere()) {
      fault(
          "spec.windows",
          "leave no time for work that takes %s: state a shorter spec.expectedDuration, or longer windows"
              .formatted(spec.path("expectedDuration").asText("1h")));
    }
  }
}
