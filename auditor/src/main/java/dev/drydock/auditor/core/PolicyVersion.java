package dev.drydock.auditor.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One version of a policy, as far as the auditor reads it.
 *
 * @param from when it was put in force
 * @param desired how many instances there should be; empty for as many as are allocated
 * @param times when it lets work begin; empty for always
 * @param unread names of rules in it that the auditor does not judge
 */
public record PolicyVersion(
    String name,
    int version,
    Instant from,
    Set<String> applications,
    List<BudgetRule> rules,
    Optional<Integer> desired,
    Duration healthAgeMax,
    Optional<PolicyCalendar> times,
    List<String> unread) {
  public PolicyVersion {
    applications = Set.copyOf(applications);
    rules = List.copyOf(rules);
    unread = List.copyOf(unread);
  }

  @Override
  public String toString() {
    return "policy %s version %d".formatted(name, version);
  }
}
