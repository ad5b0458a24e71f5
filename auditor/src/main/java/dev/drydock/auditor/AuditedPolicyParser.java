package dev.drydock.auditor;

import dev.drydock.auditor.core.BudgetRule;
import dev.drydock.auditor.core.BudgetRule.Share;
import dev.drydock.auditor.core.PolicyCalendar;
import dev.drydock.auditor.core.PolicyVersion;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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
final class AuditedPolicyParser {
  private static final Duration HEALTH_AGE_MAX = Duration.ofSeconds(60);
  private static final Duration EXPECTED = Duration.ofHours(1);

  /** What says nothing about how much may be down, or is read for itself. */
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
          "expectedDuration",
          "timeouts",
          "windows",
          "blackouts");

  private final List<BudgetRule> rules = new ArrayList<>();
  private final List<String> unread = new ArrayList<>();

  private AuditedPolicyParser() {}

  static PolicyVersion read(String name, int version, Instant from, String yaml) {
    return new AuditedPolicyParser().version(name, version, from, yaml);
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
        name, version, from, applications, rules, desired, healthAgeMax, times(spec), unread);
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

  private static Optional<PolicyCalendar> times(Map<?, ?> spec) {
    List<PolicyCalendar.Weekly> windows =
        list(spec.get("windows")).stream().map(window -> window(map(window))).toList();
    List<PolicyCalendar.Never> blackouts =
        list(spec.get("blackouts")).stream().map(never -> blackout(map(never))).toList();
    Duration expected = duration(spec.get("expectedDuration")).orElse(EXPECTED);
    return windows.isEmpty() && blackouts.isEmpty()
        ? Optional.empty()
        : Optional.of(new PolicyCalendar(windows, blackouts, expected));
  }

  private static PolicyCalendar.Weekly window(Map<?, ?> written) {
    Set<DayOfWeek> days = new HashSet<>();
    for (DayOfWeek day : DayOfWeek.values()) {
      String name = day.getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
      if (list(written.get("days")).contains(name)) {
        days.add(day);
      }
    }
    String to = String.valueOf(written.get("to"));
    return new PolicyCalendar.Weekly(
        zone(written),
        days,
        LocalTime.parse(String.valueOf(written.get("from"))),
        to.equals("24:00") ? LocalTime.MIDNIGHT : LocalTime.parse(to));
  }

  /** A day stands for all of it. */
  private static PolicyCalendar.Never blackout(Map<?, ?> written) {
    String from = String.valueOf(written.get("from"));
    String to = String.valueOf(written.get("to"));
    return new PolicyCalendar.Never(
        zone(written),
        LocalDateTime.parse(from.contains("T") ? from : from + "T00:00"),
        to.contains("T")
            ? LocalDateTime.parse(to)
            : LocalDate.parse(to).plusDays(1).atStartOfDay());
  }

  private static ZoneId zone(Map<?, ?> written) {
    return ZoneId.of(
        written.containsKey("timezone") ? String.valueOf(written.get("timezone")) : "UTC");
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
    // As ISO 8601 has it, but for what stands before: 90s, 1h30m.
    return Optional.of(Duration.parse("PT" + value));
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }
}
