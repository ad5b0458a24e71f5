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
 * plain loops over a {@link RandomFleet}, sharing none of the judge's methods (not even those of
 * rules and amounts).
 */
final class BruteForce {
  private BruteForce() {}

  /** Whether the request may be granted. */
  static boolean grants(RandomFleet randomFleet) {
    Map<String, Policy> policies = new HashMap<>();
    randomFleet.policies().forEach(p -> p.applications().forEach(a -> policies.put(a, p)));
    for (String requested : randomFleet.requested()) {
      FleetHost host = host(randomFleet, requested);
      if (host == null || host.vanished() || !believed(randomFleet, host.source())) {
        return false;
      }
    }
    Set<String> touched = new HashSet<>(randomFleet.named());
    for (FleetInstance i : randomFleet.instances()) {
      if (randomFleet.requested().contains(i.host()) && !i.vanished()) {
        touched.add(i.application());
      }
    }
    for (String application : touched) {
      Policy policy = policies.get(application);
      if (policy == null) {
        return false;
      }
      for (Rule rule : policy.rules()) {
        if (!allows(randomFleet, policy, application, rule)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether one rule alone allows the request. */
  static boolean allows(RandomFleet randomFleet, Policy policy, String application, Rule rule) {
    Set<String> down = new HashSet<>(randomFleet.held());
    down.addAll(randomFleet.requested());
    int desired = desired(randomFleet, policy, application);
    if (rule instanceof MinAvailable min) {
      return up(randomFleet, policy, application, down) >= min.instances();
    } else if (rule instanceof MaxUnavailable max) {
      return up(randomFleet, policy, application, down) >= desired - number(max.amount(), desired);
    } else if (rule instanceof MinCapacity min) {
      return units(randomFleet, policy, application, down, min);
    } else if (rule instanceof MaxDomainsInFlight domains) {
      return domains(randomFleet, policy, application, domains, down);
    } else if (rule instanceof DisruptionInterval interval) {
      return interval(randomFleet, policy, application, interval);
    } else if (rule instanceof DisruptionRate rate) {
      return rate(randomFleet, policy, application, rate, number(rate.max(), desired));
    } else if (rule instanceof Calendar calendar) {
      return open(randomFleet, calendar);
    }
    if (rule instanceof Gate gate) {
      return randomFleet.outside().gates().get(gate) instanceof GateReading.Holds holds
          && Math.abs(seconds(holds.at())) <= 30;
    }
    throw new AssertionError("no second opinion on " + rule);
  }

  /** Instances of the application that are up when {@code down} hosts are down. */
  static int up(RandomFleet randomFleet, Policy policy, String application, Set<String> down) {
    int up = 0;
    for (FleetInstance i : randomFleet.instances()) {
      boolean counts = i.application().equals(application) && !i.vanished();
      up += counts && isUp(randomFleet, policy, i, down) ? 1 : 0;
    }
    return up;
  }

  /** Unit by unit: those of all that is allocated, and those of it that stay up. */
  private static boolean units(
      RandomFleet randomFleet,
      Policy policy,
      String application,
      Set<String> down,
      MinCapacity rule) {
    long all = 0;
    long left = 0;
    for (FleetInstance i : randomFleet.instances()) {
      for (int unit = 0; unit < i.capacity(); unit++) {
        boolean counts = i.application().equals(application) && !i.vanished();
        all += counts ? 1 : 0;
        left += counts && isUp(randomFleet, policy, i, down) ? 1 : 0;
      }
    }
    return rule.least() instanceof Amount.Count count
        ? left >= count.number()
        : left * 100 >= all * ((Amount.Percent) rule.least()).percent();
  }

  private static boolean isUp(
      RandomFleet randomFleet, Policy policy, FleetInstance i, Set<String> down) {
    FleetHost host = host(randomFleet, i.host());
    if (host == null || down.contains(i.host()) || !believed(randomFleet, host.source())) {
      return false;
    }
    long age = seconds(i.observedAt());
    return i.mark() >= host.lastEffectMark()
        && age <= policy.healthAgeMax().toSeconds()
        && age >= -5
        && i.health() == Health.HEALTHY;
  }

  /** Its newest report says so, and is as good as one that says it is up. */
  private static boolean down(RandomFleet randomFleet, Policy policy, FleetInstance i) {
    FleetInstance well =
        new FleetInstance(
            i.id(),
            i.application(),
            i.host(),
            i.zone(),
            i.capacity(),
            Health.HEALTHY,
            i.mark(),
            i.observedAt(),
            i.vanished());
    return i.health() == Health.UNHEALTHY && isUp(randomFleet, policy, well, Set.of());
  }

  private static @Nullable FleetHost host(RandomFleet randomFleet, String name) {
    for (FleetHost h : randomFleet.hosts()) {
      if (h.name().equals(name)) {
        return h;
      }
    }
    return null;
  }

  private static boolean believed(RandomFleet randomFleet, String source) {
    if (!randomFleet.reports().containsKey(source)) {
      return false;
    }
    long age = seconds(randomFleet.reports().get(source).at());
    return age <= 30 && age >= -5;
  }

  private static long seconds(Instant then) {
    return RandomFleet.NOW.getEpochSecond() - then.getEpochSecond();
  }

  private static int desired(RandomFleet randomFleet, Policy policy, String application) {
    if (policy.desired() instanceof DesiredInstances.Exactly exactly) {
      return exactly.instances();
    }
    int allocated = 0;
    for (FleetInstance i : randomFleet.instances()) {
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
      RandomFleet randomFleet,
      Policy policy,
      String application,
      MaxDomainsInFlight rule,
      Set<String> down) {
    Set<String> inFlight = new HashSet<>();
    for (FleetInstance i : randomFleet.instances()) {
      if (i.application().equals(application)
          && !i.vanished()
          && !isUp(randomFleet, policy, i, down)) {
        String in = i.zone();
        if (rule.domain() instanceof Domain.Label label) {
          FleetHost host = host(randomFleet, i.host());
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
      RandomFleet randomFleet, Policy policy, String application, DisruptionInterval rule) {
    for (FleetInstance i : randomFleet.instances()) {
      for (Disruption d : randomFleet.disruptions()) {
        boolean same =
            i.application().equals(application)
                && !i.vanished()
                && randomFleet.requested().contains(i.host())
                && !down(randomFleet, policy, i)
                && d.instance().equals(i.id());
        boolean itself = d.ongoing() && randomFleet.requested().contains(d.host());
        if (same && !itself && seconds(d.at()) < rule.least().toSeconds()) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean rate(
      RandomFleet randomFleet, Policy policy, String application, DisruptionRate rule, int most) {
    Set<String> counted = new HashSet<>();
    for (Disruption d : randomFleet.disruptions()) {
      if (d.application().equals(application) && seconds(d.at()) < rule.per().toSeconds()) {
        counted.add(d.instance());
      }
    }
    for (FleetInstance i : randomFleet.instances()) {
      boolean begun = false;
      for (Disruption d : randomFleet.disruptions()) {
        begun |= d.ongoing() && d.host().equals(i.host()) && d.application().equals(application);
      }
      FleetHost host = host(randomFleet, i.host());
      boolean down = down(randomFleet, policy, i);
      boolean batch = host != null && host.inBatch();
      boolean about = randomFleet.held().contains(i.host()) && !begun && !(down && batch);
      if (i.application().equals(application)
          && !i.vanished()
          && (about || (randomFleet.requested().contains(i.host()) && !down))) {
        counted.add(i.id());
      }
    }
    return counted.size() <= most;
  }

  /** Minute by minute: the clock on the wall shows a time inside at each of them. */
  private static boolean open(RandomFleet randomFleet, Calendar calendar) {
    boolean begun = true;
    for (String requested : randomFleet.requested()) {
      FleetHost host = host(randomFleet, requested);
      begun &= host != null && host.inBatch();
    }
    long minutes = begun ? 1 : Math.max(1, calendar.expected().toMinutes());
    for (long minute = 0; minute < minutes; minute++) {
      if (!openAt(calendar, RandomFleet.NOW.plusSeconds(minute * 60))) {
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
    for (WeeklyWindow weeklyWindow : calendar.windows()) {
      ZonedDateTime local = at.atZone(weeklyWindow.zone());
      int time = local.getHour() * 60 + local.getMinute();
      int from = weeklyWindow.from().getHour() * 60 + weeklyWindow.from().getMinute();
      int to = weeklyWindow.to().getHour() * 60 + weeklyWindow.to().getMinute();
      DayOfWeek today = local.getDayOfWeek();
      DayOfWeek yesterday = today.minus(1);
      if (from < to) {
        open |= weeklyWindow.days().contains(today) && time >= from && time < to;
      } else {
        open |= weeklyWindow.days().contains(today) && time >= from;
        open |= weeklyWindow.days().contains(yesterday) && time < to;
      }
    }
    return open;
  }
}
