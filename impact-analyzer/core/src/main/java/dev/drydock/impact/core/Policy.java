package dev.drydock.impact.core;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One version of a team's rules. The rules hold for each of its applications on its own, never for
 * their sum.
 *
 * @param rules all apply; never empty, because no rule would mean no limit
 * @param healthAgeMax an observation older than this does not count as up
 * @param drainTimeout how long draining a host may take
 * @param lateDrain what becomes of a host that is not drained then
 * @param zonesTogether whether the hosts of a fault zone are taken all together or not at all
 * @param canary what is done and watched before the rest of a rollout
 */
public record Policy(
    String name,
    int version,
    String team,
    List<String> applications,
    List<Rule> rules,
    DesiredInstances desired,
    Duration healthAgeMax,
    Duration drainTimeout,
    LateDrain lateDrain,
    boolean zonesTogether,
    Optional<Canary> canary) {

  /** Holds for policies that do not say, and for applications without a policy. */
  public static final Duration DEFAULT_HEALTH_AGE_MAX = Duration.ofSeconds(60);

  /** Holds for policies that do not say. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofMinutes(5);

  /** Planned for work on a host by policies with windows or blackouts that do not say. */
  public static final Duration DEFAULT_EXPECTED_DURATION = Duration.ofHours(1);

  public Policy {
    applications = List.copyOf(applications);
    rules = List.copyOf(rules);
    if (applications.isEmpty() || rules.isEmpty()) {
      throw new IllegalArgumentException(
          "policy " + name + " needs at least one application and one capacity rule");
    }
  }

  /** A policy without canaries, which does not say what becomes of a host that is late. */
  public Policy(
      String name,
      int version,
      String team,
      List<String> applications,
      List<Rule> rules,
      DesiredInstances desired,
      Duration healthAgeMax,
      Duration drainTimeout,
      boolean zonesTogether) {
    this(
        name,
        version,
        team,
        applications,
        rules,
        desired,
        healthAgeMax,
        drainTimeout,
        LateDrain.UNSAID,
        zonesTogether,
        Optional.empty());
  }

  /** A policy that takes hosts one by one. */
  public Policy(
      String name,
      int version,
      String team,
      List<String> applications,
      List<Rule> rules,
      DesiredInstances desired,
      Duration healthAgeMax,
      Duration drainTimeout) {
    this(name, version, team, applications, rules, desired, healthAgeMax, drainTimeout, false);
  }

  /** The same policy as one of its versions. */
  public Policy versioned(int number) {
    return new Policy(
        name,
        number,
        team,
        applications,
        rules,
        desired,
        healthAgeMax,
        drainTimeout,
        lateDrain,
        zonesTogether,
        canary);
  }
}
