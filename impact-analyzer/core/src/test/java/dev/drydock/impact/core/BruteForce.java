package dev.drydock.impact.core;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The budget rule written a second time, from the protocol and not from the judge: plain loops over
 * a {@link World}, sharing none of the judge's methods (not even those of rules and amounts).
 */
final class BruteForce {
  private BruteForce() {}

  /** Instances of the application that are up when {@code down} hosts are down. */
  static int up(World world, Policy policy, String application, Set<String> down) {
    int up = 0;
    for (Instance i : world.instances()) {
      if (!i.application().equals(application) || i.vanished() || down.contains(i.host())) {
        continue;
      }
      boolean seen = false;
      for (FleetHost h : world.hosts()) {
        if (h.name().equals(i.host()) && world.reports().containsKey(h.source())) {
          long reportAge = seconds(world.reports().get(h.source()).at());
          seen = i.mark() >= h.lastEffectMark() && reportAge <= 30 && reportAge >= -5;
        }
      }
      long age = seconds(i.observedAt());
      boolean fresh = age <= policy.healthAgeMax().toSeconds() && age >= -5;
      if (seen && fresh && i.health() == Health.HEALTHY) {
        up++;
      }
    }
    return up;
  }

  private static long seconds(java.time.Instant then) {
    return World.NOW.getEpochSecond() - then.getEpochSecond();
  }

  /** Least number that must stay up. */
  static int required(World world, Policy policy, String application) {
    int allocated = 0;
    for (Instance i : world.instances()) {
      allocated += i.application().equals(application) && !i.vanished() ? 1 : 0;
    }
    int desired =
        policy.desired() instanceof Desired.Exactly exactly ? exactly.instances() : allocated;
    int required = 0;
    for (Rule rule : policy.rules()) {
      if (rule instanceof Rule.MinAvailable min) {
        required = Math.max(required, min.instances());
      } else if (rule instanceof Rule.MaxUnavailable(Amount.Count count)) {
        required = Math.max(required, desired - count.instances());
      } else if (rule instanceof Rule.MaxUnavailable(Amount.Percent share)) {
        int down = 0;
        while ((down + 1) * 100 <= desired * share.percent()) {
          down++;
        }
        required = Math.max(required, desired - down);
      }
    }
    return required;
  }

  /** Whether the request may be granted. */
  static boolean grants(World world) {
    Map<String, Policy> policies = new HashMap<>();
    world.policies().forEach(p -> p.applications().forEach(a -> policies.put(a, p)));
    for (String requested : world.requested()) {
      boolean known = false;
      for (FleetHost h : world.hosts()) {
        known |=
            h.name().equals(requested)
                && !h.vanished()
                && world.reports().containsKey(h.source())
                && seconds(world.reports().get(h.source()).at()) <= 30
                && seconds(world.reports().get(h.source()).at()) >= -5;
      }
      if (!known) {
        return false;
      }
    }
    Set<String> touched = new HashSet<>(world.named());
    for (Instance i : world.instances()) {
      if (world.requested().contains(i.host()) && !i.vanished()) {
        touched.add(i.application());
      }
    }
    Set<String> downAfter = new HashSet<>(world.held());
    downAfter.addAll(world.requested());
    for (String application : touched) {
      Policy policy = policies.get(application);
      if (policy == null
          || up(world, policy, application, downAfter) < required(world, policy, application)) {
        return false;
      }
    }
    return true;
  }
}
