package dev.drydock.orchestrator.core.model;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * The latest round of a check that the grantor decides (protocol P7).
 *
 * @param reason the sentence of the verdict; empty while it is awaited
 * @param askedAt when this round was asked for
 */
public record Check(Kind kind, int round, Verdict verdict, String reason, Instant askedAt) {
  /** Nobody waits longer for a verdict. */
  public static final Duration VERDICT_MAX = Duration.ofMinutes(3);

  /** Which check. */
  public enum Kind implements NamedConstant {
    CONFIRM,
    OPEN;

    @Override
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What the grantor said. */
  public enum Verdict implements NamedConstant {
    REQUESTED,
    GRANT,
    WAIT;

    @Override
    public String word() {
      return this == REQUESTED ? "requested" : NamedConstant.super.word();
    }
  }

  /** Whether the verdict is still awaited. */
  public boolean requested() {
    return verdict == Verdict.REQUESTED;
  }

  /** Whether the verdict was no, so long ago that it is worth asking again. */
  public boolean isWorthAskingAgain(Instant now) {
    return verdict == Verdict.WAIT && !asksAgainAt().isAfter(now);
  }

  /** From when on it is worth asking again. */
  public Instant asksAgainAt() {
    return askedAt.plus(VERDICT_MAX);
  }

  /** Why the batch cannot go on: the verdict is no, or it did not come in time. */
  public Optional<String> refusal(Instant now) {
    return switch (verdict) {
      case GRANT -> Optional.empty();
      case WAIT -> Optional.of(reason);
      case REQUESTED ->
          askedAt.plus(VERDICT_MAX).isBefore(now)
              ? Optional.of("no verdict within " + VERDICT_MAX.toMinutes() + " minutes")
              : Optional.empty();
    };
  }
}
