package dev.drydock.impact.core;

import java.util.Map;
import java.util.Optional;

/**
 * The policies in force, by application.
 *
 * @param byApplication exactly one policy per application
 * @param unreadable applications whose stored policy could not be read, with the reason: nothing of
 *     them may go down, and no other application suffers
 */
public record Policies(Map<String, Policy> byApplication, Map<String, String> unreadable) {

  public Policies {
    byApplication = Map.copyOf(byApplication);
    unreadable = Map.copyOf(unreadable);
  }

  public Optional<Policy> of(String application) {
    return Optional.ofNullable(byApplication.get(application));
  }
}
