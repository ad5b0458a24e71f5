package dev.drydock.impact.policy;

import dev.drydock.impact.core.FailureBudget;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.core.PolicyHook;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a policy says of the work on its hosts and of what is told of it; no grant is decided by it.
 *
 * @param modes by which its hosts may be upgraded; empty: by any
 * @param notices what it tells which subscriptions
 * @param failure how many hosts of a rollout may fail
 * @param hooks what runs around the work, each post hook with the pre hook it belongs to
 * @param onHostFailure what a batch does when one of its hosts fails
 * @param timeouts by phase, in lower case: how long it may take before owners are told
 * @param ladder what is tried on a host before it is quarantined
 * @param healthChecks what a host has to pass after its update, by name
 */
public record HostWorkPolicy(
    Set<String> modes,
    List<NotificationRule> notices,
    Optional<FailureBudget> failure,
    List<PolicyHook> hooks,
    OnHostFailure onHostFailure,
    Map<String, Duration> timeouts,
    Ladder ladder,
    List<String> healthChecks) {

  /** Of a policy that says nothing of it, or that nobody can read. */
  public static final HostWorkPolicy NONE =
      new HostWorkPolicy(
          Set.of(),
          List.of(),
          Optional.empty(),
          List.of(),
          OnHostFailure.ABORT,
          Map.of(),
          Ladder.NONE,
          List.of());

  public HostWorkPolicy {
    modes = Set.copyOf(modes);
    notices = List.copyOf(notices);
    hooks = List.copyOf(hooks);
    timeouts = Map.copyOf(timeouts);
    healthChecks = List.copyOf(healthChecks);
  }

  /** Whether hosts may be upgraded by a mode. */
  public boolean allows(String mode) {
    return modes.isEmpty() || modes.contains(mode);
  }
}
