package dev.drydock.impact.simulation;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * A team's rules, read and applied a second time: from the policy format, sharing nothing with the
 * analyzer but the YAML library.
 */
final class OwnPolicy {
  final Set<String> applications = new HashSet<>();
  final long healthAgeMax;

  /** The topic of the controller that has to approve. */
  final Optional<String> controller;

  private final List<Map<?, ?>> capacity = new ArrayList<>();
  private final List<Instant[]> blackouts = new ArrayList<>();
  private final long expected;
  private final Optional<Integer> desired;

  OwnPolicy(String text) {
    Map<?, ?> document = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(text);
    Map<?, ?> spec = map(document, "spec");
    list(spec, "applications").forEach(name -> applications.add((String) name));
    list(spec, "capacity").forEach(rule -> capacity.add((Map<?, ?>) rule));
    controller =
        capacity.stream()
            .filter(rule -> rule.containsKey("controller"))
            .map(rule -> (String) there(map(rule, "controller"), "topic"))
            .findFirst();
    for (Object one : list(spec, "blackouts")) {
      Map<?, ?> blackout = (Map<?, ?>) one;
      blackouts.add(new Instant[] {time(blackout, "from"), time(blackout, "to")});
    }
    expected =
        spec.containsKey("expectedDuration") ? seconds(there(spec, "expectedDuration")) : 3600;
    desired = Optional.ofNullable((Integer) spec.get("desired"));
    Map<?, ?> health = spec.containsKey("health") ? map(spec, "health") : Map.of();
    healthAgeMax = health.containsKey("maxAge") ? seconds(there(health, "maxAge")) : 60;
  }

  private static Map<?, ?> map(Map<?, ?> in, String key) {
    return (Map<?, ?>) there(in, key);
  }

  private static Object there(Map<?, ?> in, Object key) {
    return Objects.requireNonNull(in.get(key), key.toString());
  }

  private static List<?> list(Map<?, ?> in, String key) {
    return in.containsKey(key) ? (List<?>) there(in, key) : List.of();
  }

  private static Instant time(Map<?, ?> in, String key) {
    return LocalDateTime.parse((String) there(in, key)).toInstant(ZoneOffset.UTC);
  }

  private static long seconds(Object duration) {
    String text = (String) duration;
    long number = Long.parseLong(text.substring(0, text.length() - 1));
    return switch (text.charAt(text.length() - 1)) {
      case 's' -> number;
      case 'm' -> number * 60;
      default -> number * 3600;
    };
  }

  /** One instance, and whether it would be up while nothing is taken, and is to be taken. */
  record One(String id, String zone, int capacity, boolean up, boolean taken) {}

  /**
   * What the rules say against taking these of an application's instances; empty when nothing.
   *
   * @param begun whether the work was begun, and goes on
   */
  Optional<String> against(List<One> instances, Instant at, boolean begun) {
    int should = desired.orElse(instances.size());
    long left = instances.stream().filter(one -> one.up() && !one.taken()).count();
    Set<String> inFlight = new HashSet<>();
    instances.stream().filter(one -> !one.up() || one.taken()).forEach(o -> inFlight.add(o.zone()));
    for (Map<?, ?> rule : capacity) {
      String kind = (String) rule.keySet().iterator().next();
      Object value = there(rule, kind);
      long atLeast =
          switch (kind) {
            case "maxUnavailable" -> should - unavailable(value, should);
            case "minAvailable" -> value instanceof Integer count ? count : 0;
            default -> 0;
          };
      if (left < atLeast) {
        return Optional.of("%d of %d would be left, not %d".formatted(left, should, atLeast));
      }
      if (kind.equals("minAvailable") && value instanceof Map<?, ?> units) {
        Optional<String> lacks = tooLittle(there(units, "capacity"), instances);
        if (lacks.isPresent()) {
          return lacks;
        }
      }
      if (kind.equals("maxZonesInFlight") && inFlight.size() > (Integer) value) {
        return Optional.of("zones " + inFlight + " would be in flight");
      }
    }
    Instant ends = begun ? at : at.plusSeconds(expected);
    for (Instant[] blackout : blackouts) {
      boolean within = !at.isBefore(blackout[0]) && at.isBefore(blackout[1]);
      boolean runsInto = at.isBefore(blackout[0]) && blackout[0].isBefore(ends);
      if (within || runsInto) {
        return Optional.of("it is blacked out from " + blackout[0]);
      }
    }
    return Optional.empty();
  }

  /** Of which each instance has as much as it reported. */
  private static Optional<String> tooLittle(Object capacity, List<One> instances) {
    long all = 0;
    long left = 0;
    for (One one : instances) {
      all += one.capacity();
      left += one.up() && !one.taken() ? one.capacity() : 0;
    }
    boolean enough =
        capacity instanceof String share
            ? left * 100 >= all * Integer.parseInt(share.substring(0, share.length() - 1))
            : left >= (Integer) capacity;
    return enough
        ? Optional.empty()
        : Optional.of("%d of %d units would be left, not %s".formatted(left, all, capacity));
  }

  private static long unavailable(Object value, int of) {
    if (value instanceof Integer count) {
      return count;
    }
    String percent = (String) value;
    return (long) of * Integer.parseInt(percent.substring(0, percent.length() - 1)) / 100;
  }
}
