package dev.drydock.impact.core;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules written a second time, from the protocol and the policy format and not from the judge:
 * plain loops over a {@link World}, sharing none of the judge's methods (not even those of rules
 * and amounts).
 */
final class BruteForce {
  private BruteForce() {}

  /** Whether the request may be granted. */
  static boolean grants(World world) {
    Map<String, Policy> policies = new HashMap<>();
    world.policies().forEach(p -> p.applications().forEach(a -> policies.put(a, p)));
    for (String requested : world.requested()) {
      FleetHost host = host(world, requested);
      if (host == null || host.vanished() || !believed(world, host.source())) {
        return false;
      }
    }
    Set<String> touched = new HashSet<>(world.named());
    for (Instance i : world.instances()) {
      if (world.requested().contains(i.host()) && !i.vanished()) {
        touched.add(i.application());
      }
    }
    for (String application : touched) {
      Policy policy = policies.get(application);
      if (policy == null) {
        return false;
      }
      for (Rule rule : policy.rules()) {
        if (!allows(world, policy, application, rule)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether one rule alone allows the request. */
  static boolean allows(World world, Policy policy, String application, Rule rule) {
    Set<String> down = new HashSet<>(world.held());
    down.addAll(world.requested());
    int desired = desired(world, policy, application);
    if (rule instanceof MinAvailable min) {
      return up(world, policy, application, down) >= min.instances();
    } else if (rule instanceof MaxUnavailable max) {
      return up(world, policy, application, down) >= desired - number(max.amount(), desired);
    } else if (rule instanceof MinCapacity min) {
      return units(world, policy, application, down, min);
    } else if (rule instanceof MaxDomainsInFlight domains) {
      return domains(world, policy, application, domains, down);
    } else if (rule instanceof DisruptionInterval interval) {
      return interval(world, policy, application, interval);
    } else if (rule instanceof DisruptionRate rate) {
      return rate(world, policy, application, rate, number(rate.max(), desired));
    } else if (rule instanceof Calendar calendar) {
      return open(world, calendar);
    }
    if (rule instanceof Gate gate) {
      return world.outside().gates().get(gate) instanceof GateReading.Holds holds
          && Math.abs(seconds(holds.at())) <= 30;
    }
    throw new AssertionError("no second opinion on " + rule);
  }

  /** Instances of the application that are up when {@code down} hosts are down. */
  static int up(World world, Policy policy, String application, Set<String> down) {
    int up = 0;
    for (Instance i : world.instances()) {
      boolean counts = i.application().equals(application) && !i.vanished();
      up += counts && isUp(world, policy, i, down) ? 1 : 0;
    }
    return up;
  }

  /** Unit by unit: those of all that is allocated, and those of it that stay up. */
  private static boolean units(
      World world, Policy policy, String application, Set<String> down, MinCapacity rule) {
    long all = 0;
    long left = 0;
    for (Instance i : world.instances()) {
      for (int unit = 0; unit < i.capacity(); unit++) {
        boolean counts = i.application().equals(application) && !i.vanished();
        all += counts ? 1 : 0;
        left += counts && isUp(world, policy, i, down) ? 1 : 0;
      }
    }
    return rule.least() instanceof Amount.Count count
        ? left >= count.number()
        : left * 100 >= all * ((Amount.Percent) rule.least()).percent();
  }

  private static boolean isUp(World world, Policy policy, Instance i, Set<String> down) {
    FleetHost host = host(world, i.host());
    if (host == null || down.contains(i.host()) || !believed(world, host.source())) {
      return false;
    }
    long age = seconds(i.observedAt());
    return i.mark() >= host.lastEffectMark()
        && age <= policy.healthAgeMax().toSeconds()
        && age >= -5
        && i.health() == Health.HEALTHY;
  }

  /** Its newest report says so, and is as good as one that says it is up. */
  private static boolean down(World world, Policy policy, Instance i) {
    Instance well =
        new Instance(
            i.id(),
            i.application(),
            i.host(),
            i.zone(),
            i.capacity(),
            Health.HEALTHY,
            i.mark(),
            i.observedAt(),
            i.vanished());
    return i.health() == Health.UNHEALTHY && isUp(world, policy, well, Set.of());
  }

  private static @Nullable FleetHost host(World world, String name) {
    for (FleetHost h : world.hosts()) {
      if (h.name().equals(name)) {
        return h;
      }
    }
    return null;
  }

  private static boolean believed(World world, String source) {
    if (!world.reports().containsKey(source)) {
      return false;
    }
    long age = seconds(world.reports().get(source).at());
    return age <= 30 && age >= -5;
  }

  private static long seconds(Instant then) {
    return World.NOW.getEpochSecond() - then.getEpochSecond();
  }

  private static int desired(World world, Policy policy, String application) {
    if (policy.desired() instanceof Desired.Exactly exactly) {
      return exactly.instances();
    }
    int allocated = 0;
    for (Instance i : world.instances()) {
      allocated += i.application().equals(application) && !i.vanished() ? 1 : 0;
    }
    return allocated;
  }

  private static int number(Amount amount, int desired) {
    if (amount instanceof Amount.Count count) {
      return count.number();
    }
    int number = 0;
    while ((number + 1) * 100 <= desired * ((Amount.Percent) amount).percent()) {
      number++;
    }
    return number;
  }

  private static boolean domains(
      World world, Policy policy, String application, MaxDomainsInFlight rule, Set<String> down) {
    Set<String> inFlight = new HashSet<>();
    for (Instance i : world.instances()) {
      if (i.application().equals(application) && !i.vanished() && !isUp(world, policy, i, down)) {
        String in = i.zone();
        if (rule.domain() instanceof Domain.Label label) {
          FleetHost host = host(world, i.host());
          in = host == null ? "" : host.labels().getOrDefault(label.key(), "");
        }
        if (in.isEmpty()) {
          return false;
        }
        inFlight.add(in);
      }
    }
    return inFlight.size() <= rule.max();
  }

  private static boolean interval(
      World world, Policy policy, String application, DisruptionInterval rule) {
    for (Instance i : world.instances()) {
      for (Disruption d : world.disruptions()) {
        boolean same =
            i.application().equals(application)
                && !i.vanished()
                && world.requested().contains(i.host())
                && !down(world, policy, i)
                && d.instance().equals(i.id());
        boolean itself = d.ongoing() && world.requested().contains(d.host());
        if (same && !itself && seconds(d.at()) < rule.least().toSeconds()) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean rate(
      World world, Policy policy, String application, DisruptionRate rule, int most) {
    Set<String> counted = new HashSet<>();
    for (Disruption d : world.disruptions()) {
      if (d.application().equals(application) && seconds(d.at()) < rule.per().toSeconds()) {
        counted.add(d.instance());
      }
    }
    for (Instance i : world.instances()) {
      boolean begun = false;
      for (Disruption d : world.disruptions()) {
        begun |= d.ongoing() && d.host().equals(i.host()) && d.application().equals(application);
      }
      FleetHost host = host(world, i.host());
      boolean down = down(world, policy, i);
      boolean batch = host != null && host.inBatch();
      boolean about = world.held().contains(i.host()) && !begun && !(down && batch);
      if (i.application().equals(application)
          && !i.vanished()
          && (about || (world.requested().contains(i.host()) && !down))) {
        counted.add(i.id());
      }
    }
    return counted.size() <= most;
  }

  /** Minute by minute: the clock on the wall shows a time inside at each of them. */
  private static boolean open(World world, Calendar calendar) {
    boolean begun = true;
    for (String requested : world.requested()) {
      FleetHost host = host(world, requested);
      begun &= host != null && host.inBatch();
    }
    long minutes = begun ? 1 : Math.max(1, calendar.expected().toMinutes());
    for (long minute = 0; minute < minutes; minute++) {
      if (!openAt(calendar, World.NOW.plusSeconds(minute * 60))) {
        return false;
      }
    }
    return true;
  }

  static boolean openAt(Calendar calendar, Instant at) {
    for (Blackout blackout : calendar.blackouts()) {
      java.time.LocalDateTime local = at.atZone(blackout.zone()).toLocalDateTime();
      if (!local.isBefore(blackout.from()) && local.isBefore(blackout.to())) {
        return false;
      }
    }
    boolean open = calendar.windows().isEmpty();
    for (Window window : calendar.windows()) {
      ZonedDateTime local = at.atZone(window.zone());
      int time = local.getHour() * 60 + local.getMinute();
      int from = window.from().getHour() * 60 + window.from().getMinute();
      int to = window.to().getHour() * 60 + window.to().getMinute();
      DayOfWeek today = local.getDayOfWeek();
      DayOfWeek yesterday = today.minus(1);
      if (from < to) {
        open |= window.days().contains(today) && time >= from && time < to;
      } else {
        open |= window.days().contains(today) && time >= from;
        open |= window.days().contains(yesterday) && time < to;
      }
    }
    return open;
  }
}
