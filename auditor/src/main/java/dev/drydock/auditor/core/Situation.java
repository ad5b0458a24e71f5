package dev.drydock.auditor.core;

import dev.drydock.auditor.core.BudgetRule.MaxDomains;
import dev.drydock.auditor.core.BudgetRule.MaxUnavailable;
import dev.drydock.auditor.core.BudgetRule.MaxZones;
import dev.drydock.auditor.core.BudgetRule.MinAvailable;
import dev.drydock.auditor.core.BudgetRule.MinCapacity;
import dev.drydock.auditor.core.BudgetRule.Share;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * How an application stood at one moment with all locked hosts down.
 *
 * @param all instances allocated to it
 * @param fewest how many were allocated shortly before, if that was less; else as many as now
 */
record Situation(List<One> all, int fewest) {

  /**
   * One instance.
   *
   * @param surely whether it was up for sure
   * @param perhaps whether it may have been up by what was told until then
   * @param seemed whether it may have seemed to be up to who looked within the staleness bound
   */
  record One(
      InstanceState state,
      java.util.Map<String, String> labels,
      boolean surely,
      boolean perhaps,
      boolean seemed) {}

  static Situation of(
      Known known, Known.Locked locked, Instant at, Duration staleness, Duration healthAgeMax) {
    List<One> all = new ArrayList<>();
    for (InstanceState state : known.allocated(at)) {
      Known.Up up = known.up(state, at, healthAgeMax);
      boolean free = !locked.surely().contains(state.host());
      boolean surely = up == Known.Up.YES && !locked.perhaps().contains(state.host());
      boolean perhaps = up != Known.Up.NO && free;
      boolean seemed =
          perhaps
              || (free
                  && !staleness.isZero()
                  && known.mayHaveSeenUp(state.instance(), at, healthAgeMax));
      all.add(new One(state, known.labels(state.host(), at), surely, perhaps, seemed));
    }
    int before = known.allocated(at.minus(staleness)).size();
    return new Situation(all, before == 0 ? all.size() : Math.min(before, all.size()));
  }

  /**
   * What the rules say against it: nothing where enough was left by what is sure, or within the
   * bound.
   */
  Set<Objection> objections(PolicyVersion policy) {
    Set<Objection> objections = new LinkedHashSet<>();
    for (BudgetRule rule : policy.rules()) {
      switch (rule) {
        case MaxUnavailable(Share most) -> {
          long now = policy.desired().orElse(all.size());
          long then = policy.desired().orElse(fewest);
          left("maxUnavailable " + most, policy, now - most.of(now), then - most.of(then), one -> 1)
              .ifPresent(objections::add);
        }
        case MinAvailable(int least) ->
            left("minAvailable " + least, policy, least, least, one -> 1)
                .ifPresent(objections::add);
        case MinCapacity(Share least) -> {
          long units = all.stream().mapToLong(one -> one.state().capacity()).sum();
          long required = least.percent() ? (units * least.number() + 99) / 100 : least.number();
          left(
                  "minAvailable capacity " + least,
                  policy,
                  required,
                  required,
                  one -> one.state().capacity())
              .ifPresent(objections::add);
        }
        case MaxZones(int most) ->
            inFlight("maxZonesInFlight " + most, policy, most, one -> one.state().zone())
                .ifPresent(objections::add);
        case MaxDomains(String label, int most) ->
            inFlight(
                    "maxDomainsInFlight " + label + " " + most,
                    policy,
                    most,
                    one -> one.labels().getOrDefault(label, ""))
                .ifPresent(objections::add);
      }
    }
    return objections;
  }

  private Optional<Objection> left(
      String rule,
      PolicyVersion policy,
      long required,
      long requiredBefore,
      Function<One, Integer> weight) {
    long surely = sum(weight, One::surely);
    long perhaps = sum(weight, One::perhaps);
    long seemed = sum(weight, One::seemed);
    if (surely >= required) {
      return Optional.empty();
    }
    String says =
        "%d of %d would be left, %d are required by %s (%s)"
            .formatted(seemed, sum(weight, _ -> true), required, rule, policy);
    if (seemed < Math.min(required, requiredBefore)) {
      return Optional.of(new Objection(says, true));
    }
    // Enough seemed to be there to who did not know the last moments yet: that is no fault.
    return perhaps >= required ? Optional.of(new Objection(says, false)) : Optional.empty();
  }

  private long sum(Function<One, Integer> weight, java.util.function.Predicate<One> which) {
    return all.stream().filter(which).mapToLong(one -> weight.apply(one)).sum();
  }

  private Optional<Objection> inFlight(
      String rule, PolicyVersion policy, int most, Function<One, String> domain) {
    Set<String> surely = domains(domain, one -> !one.seemed());
    Set<String> now = domains(domain, one -> !one.perhaps());
    Set<String> perhaps = domains(domain, one -> !one.surely());
    if (perhaps.size() <= most) {
      return Optional.empty();
    }
    String says =
        "%s would be in flight, which %s does not allow (%s)".formatted(surely, rule, policy);
    if (surely.size() > most) {
      return Optional.of(new Objection(says, true));
    }
    return now.size() <= most ? Optional.of(new Objection(says, false)) : Optional.empty();
  }

  private Set<String> domains(
      Function<One, String> domain, java.util.function.Predicate<One> which) {
    Set<String> domains = new TreeSet<>();
    all.stream().filter(which).map(domain).forEach(domains::add);
    return domains;
  }
}
