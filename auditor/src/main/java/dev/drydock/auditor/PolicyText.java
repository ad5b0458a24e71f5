package dev.drydock.auditor;

import dev.drydock.auditor.core.BudgetRule;
import dev.drydock.auditor.core.BudgetRule.Share;
import dev.drydock.auditor.core.PolicyVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Reads a policy a second time, from the format, sharing nothing with the analyzer but the YAML
 * library. A rule it does not know is named, never skipped.
 */
final class PolicyText {
  private static final Duration HEALTH_AGE_MAX = Duration.ofSeconds(60);

  /** What says nothing about how much may be down. */
  private static final Set<String> BESIDE =
      Set.of(
          "applications",
          "desired",
          "batching",
          "modes",
          "hooks",
          "onHostFailure",
          "drain",
          "canary",
          "failure",
          "remediation",
          "notify",
          "expectedDuration");

  private final List<BudgetRule> rules = new ArrayList<>();
  private final List<String> unread = new ArrayList<>();

  private PolicyText() {}

  static PolicyVersion read(String name, int version, Instant from, String yaml) {
    return new PolicyText().version(name, version, from, yaml);
  }

  private PolicyVersion version(String name, int version, Instant from, String yaml) {
    Object document = new Load(LoadSettings.builder().build()).loadFromString(yaml);
    Map<?, ?> spec = map(map(document).get("spec"));
    Duration healthAgeMax = HEALTH_AGE_MAX;
    for (Map.Entry<?, ?> field : spec.entrySet()) {
      String key = String.valueOf(field.getKey());
      if (key.equals("capacity")) {
        list(field.getValue()).forEach(rule -> rule(map(rule)));
      } else if (key.equals("health")) {
        Map<?, ?> health = map(field.getValue());
        healthAgeMax = duration(health.get("maxAge")).orElse(HEALTH_AGE_MAX);
        if (health.containsKey("gates")) {
          unread.add("gates");
        }
      } else if (!BESIDE.contains(key)) {
        unread.add(key);
      }
    }
    Set<String> applications = new HashSet<>();
    list(spec.get("applications")).forEach(one -> applications.add(String.valueOf(one)));
    Optional<Integer> desired =
        spec.get("desired") instanceof Integer count ? Optional.of(count) : Optional.empty();
    return new PolicyVersion(
        name, version, from, applications, rules, desired, healthAgeMax, unread);
  }

  private void rule(Map<?, ?> written) {
    String name = String.valueOf(written.keySet().iterator().next());
    Object value = Objects.requireNonNull(written.get(name), name);
    switch (name) {
      case "maxUnavailable" -> rules.add(new BudgetRule.MaxUnavailable(share(value)));
      case "minAvailable" ->
          rules.add(
              value instanceof Map<?, ?> weighed
                  ? new BudgetRule.MinCapacity(share(weighed.get("capacity")))
                  : new BudgetRule.MinAvailable((Integer) value));
      case "maxZonesInFlight" -> rules.add(new BudgetRule.MaxZones((Integer) value));
      case "maxDomainsInFlight" -> {
        Map<?, ?> domains = map(value);
        rules.add(
            new BudgetRule.MaxDomains(
                String.valueOf(domains.get("topologyKey")),
                (Integer) Objects.requireNonNull(domains.get("max"))));
      }
      default -> unread.add(name);
    }
  }

  private static Share share(@Nullable Object value) {
    if (value instanceof Integer count) {
      return new Share(count, false);
    }
    String percent = String.valueOf(value);
    return new Share(Integer.parseInt(percent.substring(0, percent.length() - 1)), true);
  }

  private static Optional<Duration> duration(@Nullable Object value) {
    if (value == null) {
      return Optional.empty();
    }
    String text = String.valueOf(value);
    long number = Long.parseLong(text.substring(0, text.length() - 1));
    return Optional.of(
        switch (text.charAt(text.length() - 1)) {
          case 's' -> Duration.ofSeconds(number);
          case 'm' -> Duration.ofMinutes(number);
          default -> Duration.ofHours(number);
        });
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }
}
