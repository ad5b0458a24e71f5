package dev.drydock.impact.core;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * At most this many instances are taken down within any such time. Counts instances, not times: one
 * taken twice within it counts once. Those of a host that is held count from its grant, before
 * their disruption has begun. One that is down by itself does not count: taking it takes nothing
 * down. What another client holds may be down by its doing, and counts until it is noted.
 */
public record DisruptionRate(Amount max, Duration per) implements Rule {

  @Override
  public RuleResult judge(ApplicationState state) {
    Instant since = state.fleet().now().minus(per);
    Set<String> begun = new HashSet<>();
    Set<String> disrupted = new HashSet<>();
    Optional<Instant> oldest = Optional.empty();
    for (Disruption past : state.fleet().disruptionsOf(state.application())) {
      if (past.ongoing()) {
        begun.add(past.host());
      }
      if (past.at().isAfter(since)) {
        disrupted.add(past.instance());
        oldest = oldest.filter(at -> at.isBefore(past.at())).or(() -> Optional.of(past.at()));
      }
    }
    int before = disrupted.size();
    for (FleetInstance fleetInstance : state.allocated()) {
      if (held(fleetInstance.host(), state.request())
          && !begun.contains(fleetInstance.host())
          && !(inBatch(state, fleetInstance) && state.seenDown(fleetInstance))) {
        disrupted.add(fleetInstance.id());
      }
    }
    int with = disrupted.size();
    state.taking().stream()
        .filter(fleetInstance -> !state.seenDown(fleetInstance))
        .forEach(fleetInstance -> disrupted.add(fleetInstance.id()));
    int most = max.of(state.desired());
    String next =
        oldest
            .map(at -> "; the oldest is over at " + at.plus(per))
            .filter(_ -> disrupted.size() > most)
            .orElse("");
    return RuleResult.of(
        disrupted.size() <= most,
        "allows %d of %d in %s; %d were taken down, %d are about to be, this takes %d%s"
            .formatted(
                most,
                state.desired(),
                DurationFormat.of(per),
                before,
                with - before,
                disrupted.size() - with,
                next));
  }

  private static boolean inBatch(ApplicationState state, FleetInstance fleetInstance) {
    return state.fleet().host(fleetInstance.host()).filter(FleetHost::inBatch).isPresent();
  }

  private static boolean held(String host, DisruptionRequest disruptionRequest) {
    return disruptionRequest.held().contains(host)
        || disruptionRequest.ending().filter(those -> those.contains(host)).isPresent();
  }

  @Override
  public Optional<String> never(ApplicationState state) {
    int most = max.of(state.desired());
    int taking = state.taking().size();
    return taking <= most
        ? Optional.empty()
        : Optional.of("it takes %d at once, %d are allowed".formatted(taking, most));
  }

  @Override
  public RuleInputs facts() {
    return RuleInputs.past(per);
  }

  @Override
  public Lasts lasts() {
    return Lasts.HOURS;
  }

  @Override
  public String toString() {
    return "disruptionRate %s per %s".formatted(max, DurationFormat.of(per));
  }
}
