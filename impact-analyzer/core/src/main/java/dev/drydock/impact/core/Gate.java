package dev.drydock.impact.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A comparison that monitoring has to show true for a while, such as {@code avg(up{app="search"}) >
 * 0.99} for five minutes. Whatever is not known to be true holds.
 *
 * @param promql a comparison with one result
 * @param lasting for how long it must have been true without a break; zero: now
 */
public record Gate(String promql, Duration lasting) implements Rule {
  /** An answer older than this says nothing about now. */
  static final Duration READING_AGE_MAX = Duration.ofSeconds(30);

  private static final String NOT_ASKED = "is unknown: monitoring was not asked yet";

  @Override
  public RuleResult judge(ApplicationState state) {
    Instant now = state.fleet().now();
    return switch (state.fleet().outside().gates().get(this)) {
      case null -> RuleResult.of(false, NOT_ASKED);
      case GateReading.Unknown(String why) -> RuleResult.of(false, "is unknown: " + why);
      case GateReading.Fails(Instant at, String says) ->
          stale(at, now).orElseGet(() -> RuleResult.of(false, says));
      case GateReading.Holds(Instant at) ->
          stale(at, now).orElseGet(() -> RuleResult.of(true, "is true"));
    };
  }

  private static Optional<RuleResult> stale(Instant at, Instant now) {
    Duration age = Duration.between(at, now);
    return age.abs().compareTo(READING_AGE_MAX) <= 0
        ? Optional.empty()
        : Optional.of(
            RuleResult.of(
                false,
                "is unknown: monitoring answered %d s ago, bound %d s"
                    .formatted(age.toSeconds(), READING_AGE_MAX.toSeconds())));
  }

  /** It may become true. */
  @Override
  public Optional<String> never(ApplicationState state) {
    return Optional.empty();
  }

  @Override
  public Lasts lasts() {
    return Lasts.UNTIL_OTHERS_ACT;
  }

  @Override
  public RuleInputs facts() {
    return RuleInputs.gate(this);
  }

  @Override
  public String toString() {
    return "gate " + promql + (lasting.isZero() ? "" : " for " + DurationFormat.of(lasting));
  }
}
