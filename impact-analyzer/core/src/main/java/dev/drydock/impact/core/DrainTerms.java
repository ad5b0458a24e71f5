package dev.drydock.impact.core;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What policies say of draining a host, and which of them. Several teams may have applications on
 * it: these are drained at the same time, so that the longest time-out holds; and of what becomes
 * of a host that is late the most careful.
 *
 * @param timeout how long it may take
 * @param late what becomes of it then
 * @param timeoutOf names of the policies whose time-out it is, in order; empty for the default
 * @param lateOf names of the policies whose way it is, in order; empty if no policy has a say
 */
public record DrainTerms(
    Duration timeout, LateDrain late, List<String> timeoutOf, List<String> lateOf) {
  /** Of a host on which no policy that can be read has a say. */
  public static final DrainTerms UNSAID =
      new DrainTerms(Policy.DEFAULT_DRAIN_TIMEOUT, LateDrain.UNSAID);

  private static final int NAMED_MAX = 3;

  public DrainTerms {
    timeoutOf = List.copyOf(timeoutOf);
    lateOf = List.copyOf(lateOf);
  }

  /** Terms of no policy. */
  public DrainTerms(Duration timeout, LateDrain late) {
    this(timeout, late, List.of(), List.of());
  }

  /** What one policy says. */
  static DrainTerms of(Policy policy) {
    List<String> name = List.of(policy.name());
    return new DrainTerms(policy.drainTimeout(), policy.lateDrain(), name, name);
  }

  /** What holds where all of these have a say, of one host or of hosts that are late together. */
  public static DrainTerms together(Collection<DrainTerms> all) {
    return all.stream().reduce(DrainTerms::and).orElse(UNSAID);
  }

  private DrainTerms and(DrainTerms other) {
    int longer = timeout.compareTo(other.timeout);
    int stricter = late.way().compareTo(other.late.way());
    return new DrainTerms(
        longer >= 0 ? timeout : other.timeout,
        late.and(other.late),
        holding(longer, timeoutOf, other.timeoutOf),
        holding(stricter, lateOf, other.lateOf));
  }

  private static List<String> holding(int more, List<String> ones, List<String> others) {
    if (more != 0) {
      return more > 0 ? ones : others;
    }
    SortedSet<String> both = new TreeSet<>(ones);
    both.addAll(others);
    return List.copyOf(both);
  }

  /** Such as: drain: up to 5m (policy web), then Ask (policy search). */
  public String says() {
    return "drain: up to %s, then %s".formatted(saysTimeout(), saysLate());
  }

  /** Such as: 5m (policy web). */
  String saysTimeout() {
    return "%s (%s)".formatted(DurationFormat.of(timeout), named(timeoutOf, "the default"));
  }

  /** Such as: Ask (policy search). */
  String saysLate() {
    if (late.way() != LateDrain.Way.REVERT) {
      return "%s (%s)".formatted(late.way().word(), named(lateOf, "the default"));
    }
    return lateOf.isEmpty()
        ? "brought back (nobody says onTimeout)"
        : "brought back (%s without onTimeout)".formatted(named(lateOf, ""));
  }

  private static String named(List<String> policies, String none) {
    return switch (policies.size()) {
      case 0 -> none;
      case 1 -> "policy " + policies.getFirst();
      default -> "policies " + String.join(", ", listed(policies).toList());
    };
  }

  private static Stream<String> listed(List<String> policies) {
    int more = policies.size() - NAMED_MAX;
    return more <= 0
        ? policies.stream()
        : Stream.concat(policies.stream().limit(NAMED_MAX), Stream.of("%d more".formatted(more)));
  }
}
