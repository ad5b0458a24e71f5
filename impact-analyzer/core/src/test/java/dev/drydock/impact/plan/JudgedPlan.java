package dev.drydock.impact.plan;

import dev.drydock.impact.core.Disruption;
import dev.drydock.impact.core.DisruptionRequest;
import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.FleetHost;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.core.Health;
import dev.drydock.impact.core.Judge;
import dev.drydock.impact.core.SourceReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Plays a plan back before the judge, who knows nothing of limits: each step has to be granted when
 * it begins, and nobody may be left waiting whom the judge would grant, nor refused whom it may
 * grant some time.
 */
final class JudgedPlan {
  private final SmallFleet world;
  private final Plan plan;
  private final boolean atOnce;

  private JudgedPlan(SmallFleet world, Plan plan, boolean atOnce) {
    this.atOnce = atOnce;
    this.world = world;
    this.plan = plan;
  }

  /** What is wrong with a plan in which nobody reserves; empty when nothing is. */
  static String complaint(SmallFleet world, Plan plan) {
    return complaint(new JudgedPlan(world, plan, true));
  }

  /** The same where some wait because others reserve. */
  static String complaintBesideReservations(SmallFleet world, Plan plan) {
    return complaint(new JudgedPlan(world, plan, false));
  }

  /**
   * A step that could begin earlier, all others as they are; only under rules of capacity, by which
   * room that comes stays until somebody takes it.
   */
  static String beginsLate(SmallFleet world, Plan plan) {
    JudgedPlan judged = new JudgedPlan(world, plan, false);
    TreeSet<Long> ends = new TreeSet<>(Set.of(0L));
    plan.steps().forEach(step -> ends.add(step.endMillis()));
    for (Plan.Step step : plan.steps()) {
      for (long begin : ends.headSet(step.beginMillis())) {
        if (judged.fits(step, begin, begin + step.endMillis() - step.beginMillis())) {
          return "%s could begin at %d, all others as they are".formatted(step, begin);
        }
      }
    }
    return "";
  }

  /** Whether the judge would grant the others beside it, whenever one of them begins meanwhile. */
  private boolean fits(Plan.Step moved, long begin, long end) {
    TreeSet<Long> moments = new TreeSet<>(Set.of(begin));
    plan.steps().forEach(step -> moments.add(step.beginMillis()));
    for (long at : moments.subSet(begin, end)) {
      List<String> held = new ArrayList<>();
      for (Plan.Step step : plan.steps()) {
        if (step != moved && step.beginMillis() <= at && at < step.endMillis()) {
          held.addAll(step.hosts());
        }
      }
      boolean room = held.size() + moved.hosts().size() <= world.hostsMost();
      if (!room || !granted(at, held, moved.hosts())) {
        return false;
      }
    }
    return true;
  }

  private static String complaint(JudgedPlan judged) {
    SmallFleet world = judged.world;
    Plan plan = judged.plan;
    String refused = judged.refused();
    if (!refused.isEmpty()) {
      return refused;
    }
    TreeSet<Long> moments = new TreeSet<>(Set.of(0L));
    world.down().values().forEach(until -> moments.add(Math.max(0, until) * 60_000L));
    plan.steps().forEach(step -> moments.addAll(List.of(step.beginMillis(), step.endMillis())));
    for (long at : moments) {
      String complaint = judged.at(at);
      if (!complaint.isEmpty()) {
        return complaint;
      }
    }
    String waiting = judged.atTheEnd(moments.last());
    return waiting.isEmpty() ? judged.everyHostOnce() : waiting;
  }

  /** What waits for ever is waiting for what is down for good, or for canaries that do. */
  private String atTheEnd(long now) {
    List<String> held = held(now);
    for (Plan.Waiting waiting : plan.waiting()) {
      if (couldBeGranted(waiting, now, held)) {
        return "%s waits for ever although it would be granted beside %s".formatted(waiting, held);
      }
    }
    return "";
  }

  private boolean couldBeGranted(Plan.Waiting waiting, long now, List<String> held) {
    SmallFleet.Wanted wanted =
        world.rollouts().get(Integer.parseInt(waiting.rollout().substring(1)));
    boolean room = held.size() + waiting.hosts().size() <= world.hostsMost();
    return wanted.canaries() == 0 && room && granted(now, held, waiting.hosts());
  }

  /**
   * Refused is what could never be granted, whatever comes up, ends or passes, and nothing else.
   */
  private String refused() {
    for (Infeasible never : plan.infeasible()) {
      boolean fits = never.hosts().size() <= world.hostsMost();
      if (fits && mayBeGrantedSomeTime(never.hosts())) {
        return never + " may be granted some time";
      }
    }
    List<List<String>> kept = new ArrayList<>();
    plan.steps().forEach(step -> kept.add(step.hosts()));
    plan.waiting().forEach(waiting -> kept.add(waiting.hosts()));
    for (List<String> hosts : kept) {
      if (!mayBeGrantedSomeTime(hosts)) {
        return hosts + " could never be granted, and is not refused";
      }
    }
    return "";
  }

  private boolean mayBeGrantedSomeTime(List<String> batch) {
    return Judge.infeasible(fleet(0), world.policiesInForce(), List.of(batch)).isEmpty();
  }

  private String at(long now) {
    List<String> held = held(now);
    for (Plan.Step step : plan.steps()) {
      if (step.beginMillis() == now) {
        if (waitsForCanaries(step, now)) {
          return step + " does not wait for the canaries";
        }
        if (!granted(now, held, step.hosts())) {
          return "%s at %d is not granted beside %s".formatted(step, now, held);
        }
        held.addAll(step.hosts());
        if (held.size() > world.hostsMost()) {
          return "more hosts at once than allowed: " + held;
        }
      }
    }
    for (Plan.Waiting waiting : plan.waiting()) {
      if (atOnce && couldBeGranted(waiting, now, held)) {
        return "%s would be granted at %d beside %s".formatted(waiting, now, held);
      }
    }
    for (Plan.Step step : plan.steps()) {
      boolean couldBegin = atOnce && step.beginMillis() > now && !waitsForCanaries(step, now);
      boolean room = held.size() + step.hosts().size() <= world.hostsMost();
      if (couldBegin && room && granted(now, held, step.hosts())) {
        return "%s waits at %d although it would be granted beside %s".formatted(step, now, held);
      }
    }
    return "";
  }

  /** Hosts down just before anything begins: what ends now is up. */
  private List<String> held(long now) {
    List<String> held = new ArrayList<>();
    world
        .down()
        .forEach(
            (host, until) -> {
              if (until < 0 || until * 60_000L > now) {
                held.add("h" + host);
              }
            });
    for (Plan.Step step : plan.steps()) {
      if (step.beginMillis() < now && now < step.endMillis()) {
        held.addAll(step.hosts());
      }
    }
    return held;
  }

  private boolean waitsForCanaries(Plan.Step step, long now) {
    return now < open(step);
  }

  /** When the step may begin for its rollout: once its first hosts ended and were watched. */
  private long open(Plan.Step step) {
    SmallFleet.Wanted wanted = world.rollouts().get(Integer.parseInt(step.rollout().substring(1)));
    int hosts = 0;
    long open = 0;
    for (Plan.Step one : plan.steps()) {
      if (one.rollout().equals(step.rollout()) && hosts < wanted.canaries()) {
        if (one == step) {
          return 0;
        }
        hosts += one.hosts().size();
        open = Math.max(open, one.endMillis() + 15 * 60_000L);
      }
    }
    return open;
  }

  private boolean granted(long now, List<String> held, List<String> hosts) {
    DisruptionRequest disruptionRequest =
        new DisruptionRequest(Set.copyOf(hosts), Set.of(), new HashSet<>(held));
    return Judge.judge(fleet(now), world.policiesInForce(), disruptionRequest).granted();
  }

  private Fleet fleet(long now) {
    Instant at = SmallFleet.BEGIN.plusMillis(now);
    List<FleetHost> hosts = new ArrayList<>();
    for (int h = 0; h < world.minutes().size(); h++) {
      hosts.add(new FleetHost("h" + h, "s", false, 0, Map.of("rack", world.racks().get(h)), false));
    }
    List<FleetInstance> instances = new ArrayList<>();
    List<Disruption> past = new ArrayList<>();
    for (int i = 0; i < world.placed().size(); i++) {
      SmallFleet.Placed placed = world.placed().get(i);
      String host = "h" + placed.host();
      instances.add(
          new FleetInstance(
              "i" + i,
              placed.application(),
              host,
              placed.zone(),
              placed.capacity(),
              Health.HEALTHY,
              1,
              at,
              false));
      for (Plan.Step step : plan.steps()) {
        // Who begins now is held, and counts as about to be disrupted.
        if (step.beginMillis() < now && step.hosts().contains(host)) {
          Instant begun = SmallFleet.BEGIN.plusMillis(step.beginMillis());
          boolean ongoing = step.endMillis() > now;
          past.add(new Disruption("i" + i, placed.application(), host, begun, ongoing));
        }
      }
      if (world.past().containsKey(i)) {
        Instant begun = SmallFleet.BEGIN.minusSeconds(world.past().get(i) * 60L);
        past.add(new Disruption("i" + i, placed.application(), host, begun, false));
      }
      if (world.down().containsKey(placed.host())) {
        past.add(new Disruption("i" + i, placed.application(), host, SmallFleet.BEGIN, true));
      }
    }
    return new Fleet(
        at, Duration.ofSeconds(30), Map.of("s", new SourceReport(1, at)), hosts, instances, past);
  }

  private String everyHostOnce() {
    List<String> told = new ArrayList<>();
    plan.steps().forEach(step -> told.addAll(step.hosts()));
    plan.waiting().forEach(waiting -> told.addAll(waiting.hosts()));
    plan.infeasible().forEach(infeasible -> told.addAll(infeasible.hosts()));
    List<String> wanted = new ArrayList<>();
    world.rollouts().forEach(rollout -> rollout.hosts().forEach(h -> wanted.add("h" + h)));
    told.sort(null);
    wanted.sort(null);
    return told.equals(wanted) ? "" : "asked for %s, told of %s".formatted(wanted, told);
  }
}
