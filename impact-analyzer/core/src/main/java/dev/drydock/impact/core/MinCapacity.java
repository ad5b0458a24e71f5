package dev.drydock.impact.core;

import java.util.Collection;
import java.util.Optional;

/**
 * At least so much capacity must stay up. It is {@link MinAvailable} for instances that differ in
 * size: an instance counts by its {@link FleetInstance#capacity}.
 *
 * @param least in units, or as a share of what schedulers allocate, which rounds up
 */
public record MinCapacity(Amount least) implements Rule {

  @Override
  public RuleResult judge(ApplicationState state) {
    long all = units(state.allocated());
    long required = required(all);
    long up = all - units(state.notUp().keySet());
    long taken =
        units(state.taking().stream().filter(one -> !state.notUp().containsKey(one)).toList());
    boolean allows = up - taken >= required;
    String notUp = allows || state.notUp().isEmpty() ? "" : "; not up: " + state.notUpNames();
    return RuleResult.of(
        allows,
        "needs %d of %d units up; %d units up, this takes %d%s"
            .formatted(required, all, up, taken, notUp));
  }

  /** Nobody knows how large instances are that should exist and are not allocated yet. */
  @Override
  public Optional<String> never(ApplicationState state) {
    long all = units(state.allocated());
    long atBest = all - units(state.taking());
    boolean complete = state.desired() <= state.allocated().size();
    return complete && atBest < required(all)
        ? Optional.of(
            "too much even with all up: %d units would stay, %d are needed"
                .formatted(atBest, required(all)))
        : Optional.empty();
  }

  /** Units that must stay up when so many are allocated. */
  public long required(long allocated) {
    return switch (least) {
      case Amount.Count(int units) -> units;
      case Amount.Percent(int percent) -> Math.ceilDiv(allocated * percent, 100L);
    };
  }

  private static long units(Collection<FleetInstance> instances) {
    return instances.stream().mapToLong(FleetInstance::capacity).sum();
  }

  @Override
  public String toString() {
    return "minAvailable capacity " + least;
  }
}
