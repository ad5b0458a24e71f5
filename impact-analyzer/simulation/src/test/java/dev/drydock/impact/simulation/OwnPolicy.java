package dev.drydock.impact.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * A team's rules, read and applied a second time: from the policy format, sharing nothing with the
 * analyzer but the YAML library.
 */
final class OwnPolicy {
  /** The rule that has two forms, in that which counts no instances. */
  static final String UNITS = "minAvailable: {capacity}";

  private static final long SAMPLE_AGE_MAX_SECONDS = 30;

  final String name;
  final Set<String> applications = new HashSet<>();
  final long healthAgeMax;

  /** The topic of the controller that has to approve. */
  final Optional<String> controller;

  /** How many hosts go first, and for how many seconds they soak. */
  final Optional<long[]> canary;

  private final List<Map<?, ?>> capacity = new ArrayList<>();
  private final List<Map<?, ?>> gates = new ArrayList<>();
  private final OwnCalendar calendar;
  private final long expected;
  private final Optional<Integer> desired;

  OwnPolicy(String text) {
    Map<?, ?> document = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(text);
    name = (String) there(map(document, "metadata"), "name");
    Map<?, ?> spec = map(document, "spec");
    list(spec, "applications").forEach(one -> applications.add((String) one));
    list(spec, "capacity").forEach(rule -> capacity.add((Map<?, ?>) rule));
    controller =
        capacity.stream()
            .filter(rule -> rule.containsKey("controller"))
            .map(rule -> (String) there(map(rule, "controller"), "topic"))
            .findFirst();
    calendar = new OwnCalendar(list(spec, "windows"), list(spec, "blackouts"));
    expected =
        spec.containsKey("expectedDuration") ? seconds(there(spec, "expectedDuration")) : 3600;
    desired = Optional.ofNullable((Integer) spec.get("desired"));
    Map<?, ?> health = spec.containsKey("health") ? map(spec, "health") : Map.of();
    healthAgeMax = health.containsKey("maxAge") ? seconds(there(health, "maxAge")) : 60;
    list(health, "gates").forEach(gate -> gates.add((Map<?, ?>) gate));
    canary =
        spec.containsKey("canary")
            ? Optional.of(
                new long[] {
                  (Integer) there(map(spec, "canary"), "hosts"),
                  seconds(there(map(spec, "canary"), "soak"))
                })
            : Optional.empty();
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

  private static long seconds(Object duration) {
    String text = (String) duration;
    long number = Long.parseLong(text.substring(0, text.length() - 1));
    return switch (text.charAt(text.length() - 1)) {
      case 's' -> number;
      case 'm' -> number * 60;
      default -> number * 3600;
    };
  }

  /** Whether it limits how many zones or domains are in flight. */
  boolean limitsDomains() {
    return capacity.stream()
        .anyMatch(r -> r.containsKey("maxZonesInFlight") || r.containsKey("maxDomainsInFlight"));
  }

  /**
   * One instance.
   *
   * @param rack of its host, unless nobody knows
   * @param capacity in units of its team
   * @param up whether it would be up while nothing is taken
   * @param taken whether it is to be taken
   * @param down whether it was seen to be down by itself
   * @param pending whether somebody has its host and has not taken it down yet
   * @param past when it was last taken down
   * @param itself whether that was by the very work that is asked about
   */
  record One(
      String id,
      String host,
      String zone,
      Optional<String> rack,
      int capacity,
      boolean up,
      boolean taken,
      boolean down,
      boolean pending,
      Optional<Instant> past,
      boolean itself) {}

  /** A rule that says no, by its name in the format. */
  record Objection(String rule, String why) {}

  /** When it is asked about. */
  enum Moment {
    BEFORE,
    /** The work was begun, and goes on. */
    BEGUN,
    /** Whenever everything that passes has passed. */
    EVER
  }

  /** What the rules say against taking these of an application's instances. */
  List<Objection> against(
      List<One> instances, Map<String, KnownState.Sample> samples, Instant at, Moment moment) {
    List<Objection> objections = new ArrayList<>();
    int should = desired.orElse(instances.size());
    long left = instances.stream().filter(one -> one.up() && !one.taken()).count();
    for (Map<?, ?> rule : capacity) {
      String field = (String) rule.keySet().iterator().next();
      Object value = there(rule, field);
      String kind = value instanceof Map<?, ?> && field.equals("minAvailable") ? UNITS : field;
      Optional<String> why =
          switch (kind) {
            case UNITS -> tooLittle(instances, there((Map<?, ?>) value, "capacity"));
            case "maxUnavailable" -> tooFew(left, should, should - amount(value, should));
            case "minAvailable" -> tooFew(left, should, (Integer) value);
            case "maxZonesInFlight" ->
                domains(instances, one -> Optional.of(one.zone()), (Integer) value);
            case "maxDomainsInFlight" ->
                domains(instances, One::rack, (Integer) there((Map<?, ?>) value, "max"));
            case "disruptionInterval" -> again(instances, at.minusSeconds(seconds(value)), moment);
            case "disruptionRate" -> {
              Map<?, ?> rate = (Map<?, ?>) value;
              Instant since = at.minusSeconds(seconds(there(rate, "per")));
              yield many(instances, amount(there(rate, "max"), should), since, moment);
            }
            default -> Optional.empty();
          };
      why.ifPresent(text -> objections.add(new Objection(kind, text)));
    }
    if (moment != Moment.EVER) {
      objections.addAll(timely(at, moment == Moment.BEGUN ? at : at.plusSeconds(expected)));
      gates.forEach(gate -> shut(gate, samples, at).ifPresent(objections::add));
    }
    return objections;
  }

  private static Optional<String> tooFew(long left, int should, long atLeast) {
    return left >= atLeast
        ? Optional.empty()
        : Optional.of("%d of %d would be left, not %d".formatted(left, should, atLeast));
  }

  /** Of which each instance has as much as it reported. */
  private static Optional<String> tooLittle(List<One> instances, Object least) {
    long all = 0;
    long left = 0;
    for (One one : instances) {
      all += one.capacity();
      left += one.up() && !one.taken() ? one.capacity() : 0;
    }
    boolean enough =
        least instanceof String share
            ? left * 100 >= all * Integer.parseInt(share.substring(0, share.length() - 1))
            : left >= (Integer) least;
    return enough
        ? Optional.empty()
        : Optional.of("%d of %d units would be left, not %s".formatted(left, all, least));
  }

  private static Optional<String> domains(
      List<One> instances, Function<One, Optional<String>> of, int most) {
    List<One> affected = instances.stream().filter(one -> !one.up() || one.taken()).toList();
    Optional<One> unknown = affected.stream().filter(one -> of.apply(one).isEmpty()).findFirst();
    Set<String> inFlight =
        affected.stream().flatMap(one -> of.apply(one).stream()).collect(Collectors.toSet());
    return unknown
        .map(one -> "nobody knows the domain of " + one.id())
        .or(
            () ->
                inFlight.size() <= most
                    ? Optional.empty()
                    : Optional.of("domains " + inFlight + " would be in flight"));
  }

  private static Optional<String> again(List<One> instances, Instant since, Moment moment) {
    return instances.stream()
        .filter(one -> moment != Moment.EVER && one.taken() && !one.down() && !one.itself())
        .filter(one -> one.past().filter(at -> at.isAfter(since)).isPresent())
        .map(one -> one.id() + " was taken down at " + one.past().orElseThrow())
        .findFirst();
  }

  private static Optional<String> many(
      List<One> instances, long most, Instant since, Moment moment) {
    long count =
        instances.stream()
            .filter(
                one ->
                    moment == Moment.EVER
                        ? one.taken()
                        : one.pending()
                            || (one.taken() && !one.down())
                            || one.past().filter(at -> at.isAfter(since)).isPresent())
            .count();
    return count <= most
        ? Optional.empty()
        : Optional.of("%d would be taken down since %s, not %d".formatted(count, since, most));
  }

  private List<Objection> timely(Instant from, Instant to) {
    List<Objection> objections = new ArrayList<>();
    if (!calendar.clear(from, to)) {
      objections.add(new Objection("blackouts", "a blackout lies between " + from + " and " + to));
    }
    if (!calendar.open(from, to)) {
      objections.add(new Objection("windows", "no window is open from " + from + " to " + to));
    }
    return objections;
  }

  private static Optional<Objection> shut(
      Map<?, ?> gate, Map<String, KnownState.Sample> samples, Instant now) {
    String query = (String) there(gate, "promql");
    long lasting = gate.containsKey("for") ? seconds(there(gate, "for")) : 0;
    KnownState.Sample sample =
        samples.getOrDefault(query, new KnownState.Sample(Instant.EPOCH, false, Optional.empty()));
    boolean known = sample.said() && !now.isAfter(sample.at().plusSeconds(SAMPLE_AGE_MAX_SECONDS));
    boolean open =
        known
            && sample
                .trueSince()
                .filter(since -> !since.isAfter(sample.at().minusSeconds(lasting)))
                .isPresent();
    return open ? Optional.empty() : Optional.of(new Objection("gates", query + " of " + sample));
  }

  private static long amount(Object value, int of) {
    if (value instanceof Integer count) {
      return count;
    }
    String percent = (String) value;
    return (long) of * Integer.parseInt(percent.substring(0, percent.length() - 1)) / 100;
  }
}
