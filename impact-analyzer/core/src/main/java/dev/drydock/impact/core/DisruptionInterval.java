package dev.drydock.impact.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * No instance is taken down twice within this time, from beginning to beginning. One that is down
 * by itself may be taken at any time: a repair is no second disruption.
 */
public record DisruptionInterval(Duration least) implements Rule {

  @Override
  public RuleResult judge(ApplicationState state) {
    Set<String> taking =
        state.taking().stream()
            .filter(instance -> !state.seenDown(instance))
            .map(FleetInstance::id)
            .collect(Collectors.toUnmodifiableSet());
    Instant since = state.fleet().now().minus(least);
    Optional<Disruption> newest =
        state.fleet().disruptionsOf(state.application()).stream()
            .filter(past -> taking.contains(past.instance()) && past.at().isAfter(since))
            .filter(past -> !itself(past, state))
            .max(Comparator.comparing(Disruption::at).thenComparing(Disruption::instance));
    return newest
        .map(
            past ->
                RuleResult.of(
                    false,
                    "%s was taken down %s ago, on %s; not again before %s"
                        .formatted(
                            past.instance(),
                            DurationFormat.ago(past.at(), state.fleet().now()),
                            past.host(),
                            past.at().plus(least))))
        .orElseGet(
            () -> RuleResult.of(true, "none of the %d was taken down".formatted(taking.size())));
  }

  /** The disruption is what the request is about: a check of a batch that opened already. */
  private static boolean itself(Disruption past, ApplicationState state) {
    return past.ongoing() && state.request().hosts().contains(past.host());
  }

  /** It passes. */
  @Override
  public Optional<String> never(ApplicationState state) {
    return Optional.empty();
  }

  @Override
  public RuleInputs facts() {
    return RuleInputs.past(least);
  }

  @Override
  public Lasts lasts() {
    return Lasts.HOURS;
  }

  @Override
  public String toString() {
    return "disruptionInterval " + DurationFormat.of(least);
  }
}
