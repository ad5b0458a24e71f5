package dev.drydock.impact.service;

import java.time.Instant;
import java.util.List;

/**
 * One version of a policy as its team wrote it.
 *
 * @param applications those the newest version of this policy is in force for
 */
public record StoredPolicy(
    String name,
    int version,
    String team,
    String yaml,
    List<String> applications,
    Instant createdAt,
    String createdBy) {
  public StoredPolicy {
    applications = List.copyOf(applications);
  }
}
