package dev.drydock.impact.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a policy says of draining without effect on some hosts: others have applications there, and
 * what they say holds.
 *
 * @param field of the policy, such as drain.timeout
 * @param says what has no effect, on how many hosts, and what holds there
 */
public record OverruledDrain(String field, String says) {

  /**
   * What the policy would say without effect if it were in force, the time-out first.
   *
   * @param hosts how many there are on which these applications run
   */
  public static List<OverruledDrain> of(
      Policy wanted, Policies inForce, Map<Set<String>, Integer> hosts) {
    Policies then = inForce.with(wanted);
    SortedMap<String, Integer> timeouts = new TreeMap<>();
    SortedMap<String, Integer> ways = new TreeMap<>();
    hosts.forEach(
        (applications, count) -> {
          DrainTerms terms = then.drain(applications);
          if (!terms.timeoutOf().contains(wanted.name())) {
            timeouts.merge(terms.saysTimeout(), count, Integer::sum);
          }
          if (!terms.lateOf().contains(wanted.name())) {
            ways.merge(terms.saysLate(), count, Integer::sum);
          }
        });
    List<OverruledDrain> all = new ArrayList<>();
    String timeout = DurationFormat.of(wanted.drainTimeout());
    timeouts.forEach((holds, count) -> all.add(one("timeout", timeout, wanted, count, holds)));
    String way = wanted.lateDrain().way().word();
    ways.forEach((holds, count) -> all.add(one("onTimeout", way, wanted, count, holds)));
    return all;
  }

  private static OverruledDrain one(
      String field, String value, Policy wanted, int hosts, String holds) {
    return new OverruledDrain(
        "drain." + field,
        "%s of policy %s has no effect on %d host%s: there it is %s"
            .formatted(value, wanted.name(), hosts, hosts == 1 ? "" : "s", holds));
  }
}
