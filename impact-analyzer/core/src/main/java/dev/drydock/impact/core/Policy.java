package dev.drydock.impact.core;

import java.time.Duration;
import java.util.List;

/**
 * One version of a team's rules. The rules hold for each of its applications on its own, never for
 * their sum.
 *
 * @param rules all apply; never empty, because no rule would mean no limit
 * @param healthAgeMax an observation older than this does not count as up
 * @param drainTimeout how long draining a host may take
 */
public record Policy(
    String name,
    int version,
    String team,
    List<String> applications,
    List<Rule> rules,
    Desired desired,
    Duration healthAgeMax,
    Duration drainTimeout) {

  /** Holds for policies that do not say, and for applications without a policy. */
  public static final Duration DEFAULT_HEALTH_AGE_MAX = Duration.ofSeconds(60);

  /** Holds for policies that do not say. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofMinutes(5);

  public Policy {
    applications = List.copyOf(applications);
    rules = List.copyOf(rules);
    if (applications.isEmpty() || rules.isEmpty()) {
      throw new IllegalArgumentException(
          "policy " + name + " needs at least one application and one capacity rule");
    }
  }
}
