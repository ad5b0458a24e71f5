package dev.drydock.auditor.core;

import dev.drydock.auditor.core.BudgetRule.MaxDomains;
import dev.drydock.auditor.core.BudgetRule.MaxUnavailable;
import dev.drydock.auditor.core.BudgetRule.MaxZones;
import dev.drydock.auditor.core.BudgetRule.MinAvailable;
import dev.drydock.auditor.core.BudgetRule.MinCapacity;
import dev.drydock.auditor.core.BudgetRule.Share;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * How an application stood at one moment with all locked hosts down.
 *
 * @param left how many instances were up for sure on hosts without a lock
 * @param leftUnits the capacity of these
 * @param others the other instances allocated to it
 * @param before how many were allocated shortly before
 */
record AvailabilitySnapshot(long left, long leftUnits, List<One> others, int before) {

  /**
   * One instance.
   *
   * @param surely whether it was up for sure
   * @param perhaps whether it may have been up by what was told until then
   * @param seemed whether it may have seemed to be up to who looked within the staleness bound
   */
  record One(
      LoggedInstanceState state,
      java.util.Map<String, String> labels,
      boolean surely,
      boolean perhaps,
      boolean seemed) {

    /**
     * @param locked whether its host had a lock for sure
     * @param perhapsLocked whether it may have had one
     * @param staleness what was told within this time before need not have been known
     */
    static One of(
        KnownApplicationState knownApplicationState,
        LoggedInstanceState state,
        boolean locked,
        boolean perhapsLocked,
        Instant at,
        Duration staleness,
        Duration healthAgeMax) {
      java.util.Map<String, String> labels = knownApplicationState.labels(state.host(), at);
      if (locked && perhapsLocked) {
        return new One(state, labels, false, false, false);
      }
      KnownApplicationState.Up up = knownApplicationState.up(state, at, healthAgeMax);
      boolean perhaps = up != KnownApplicationState.Up.NO && !locked;
      boolean seemed =
          perhaps
              || (!locked
                  && !staleness.isZero()
                  && knownApplicationState.mayHaveSeenUp(state.instance(), at, healthAgeMax));
      return new One(
          state, labels, up == KnownApplicationState.Up.YES && !perhapsLocked, perhaps, seemed);
    }
  }

  private long all() {
    return left + others.size();
  }

  /** How many were allocated shortly before, if that was less; else as many as now. */
  private long fewest() {
    return before == 0 ? all() : Math.min(before, all());
  }

  /**
   * What the rules say against it: nothing where enough was left by what is sure, or within the
   * bound.
   */
  Set<RuleViolation> objections(PolicyVersion policy) {
    Set<RuleViolation> objections = new LinkedHashSet<>();
    for (BudgetRule rule : policy.rules()) {
      switch (rule) {
        case MaxUnavailable(Share most) -> {
          long now = policy.desired().map(Integer::longValue).orElse(all());
          long then = policy.desired().map(Integer::longValue).orElse(fewest());
          left(
                  "maxUnavailable " + most,
                  policy,
                  now - most.of(now),
                  then - most.of(then),
                  left,
                  _ -> 1)
              .ifPresent(objections::add);
        }
        case MinAvailable(int least) ->
            left("minAvailable " + least, policy, least, least, left, _ -> 1)
                .ifPresent(objections::add);
        case MinCapacity(Share least) -> {
          long units = sum(leftUnits, LoggedInstanceState::capacity, _ -> true);
          long required = least.percent() ? (units * least.number() + 99) / 100 : least.number();
          left(
                  "minAvailable capacity " + least,
                  policy,
                  required,
                  required,
                  leftUnits,
                  LoggedInstanceState::capacity)
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

  private Optional<RuleViolation> left(
      String rule,
      PolicyVersion policy,
      long required,
      long requiredBefore,
      long sure,
      ToLongFunction<LoggedInstanceState> weight) {
    long surely = sum(sure, weight, One::surely);
    long perhaps = sum(sure, weight, One::perhaps);
    long seemed = sum(sure, weight, One::seemed);
    if (surely >= required) {
      return Optional.empty();
    }
    String says =
        "%d of %d would be left, %d are required by %s (%s)"
            .formatted(seemed, sum(sure, weight, _ -> true), required, rule, policy);
    if (seemed < Math.min(required, requiredBefore)) {
      return Optional.of(new RuleViolation(says, true));
    }
    // Enough seemed to be there to who did not know the last moments yet: that is no fault.
    return perhaps >= required ? Optional.of(new RuleViolation(says, false)) : Optional.empty();
  }

  /** Of those that are left for sure and of the others that are so. */
  private long sum(
      long sure,
      ToLongFunction<LoggedInstanceState> weight,
      java.util.function.Predicate<One> which) {
    return sure + others.stream().filter(which).map(One::state).mapToLong(weight).sum();
  }

  private Optional<RuleViolation> inFlight(
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
      return Optional.of(new RuleViolation(says, true));
    }
    return now.size() <= most ? Optional.of(new RuleViolation(says, false)) : Optional.empty();
  }

  private Set<String> domains(
      Function<One, String> domain, java.util.function.Predicate<One> which) {
    Set<String> domains = new TreeSet<>();
    others.stream().filter(which).map(domain).forEach(domains::add);
    return domains;
  }
}
