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

  public Policy {
    applications = List.copyOf(applications);
    rules = List.copyOf(rules);
    if (applications.isEmpty() || rules.isEmpty()) {
      throw new IllegalArgumentException(
          "policy " + name + " needs at least one application and one capacity rule");
    }
  }
}
