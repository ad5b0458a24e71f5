package dev.drydock.orchestrator.core.drain;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchJob.DrainLeft;
import dev.drydock.orchestrator.core.model.Decision.Pace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Tells a slow drain from one that would never have ended. */
public final class DrainPaceClassifier {
  /** A drain that did not get less for this share of its time is stuck. */
  private static final int STUCK_SHARE = 3;

  private DrainPaceClassifier() {}

  /** The worst of the drains: one that is stuck never ends, however the others do. */
  public static Pace worst(List<BatchJob> drains, Duration timeout, Instant now) {
    List<Pace> paces =
        drains.stream()
            .flatMap(
                job -> job.left().stream().map(left -> of(left, quiet(job, left, now), timeout)))
            .toList();
    if (paces.contains(Pace.STUCK)) {
      return Pace.STUCK;
    }
    return paces.isEmpty() || paces.contains(Pace.UNKNOWN) ? Pace.UNKNOWN : Pace.SLOW;
  }

  /** The progress of a drain as people read it, with the numbers. */
  public static String says(BatchJob drain, Duration timeout, Instant now) {
    Optional<DrainLeft> told = drain.left();
    return told.isEmpty()
        ? "how much was left was not told"
        : says(told.get(), quiet(drain, told.get(), now), timeout);
  }

  private static Pace of(DrainLeft left, Duration quiet, Duration timeout) {
    if (quiet.multipliedBy(STUCK_SHARE).compareTo(timeout) >= 0) {
      return Pace.STUCK;
    }
    return left.least() < left.first() ? Pace.SLOW : Pace.UNKNOWN;
  }

  private static String says(DrainLeft left, Duration quiet, Duration timeout) {
    String counts =
        left.now() == left.first()
            ? left.now() + " " + left.what()
            : left.now() + " of " + left.first() + " " + left.what();
    return switch (of(left, quiet, timeout)) {
      case STUCK -> "stuck: %s left, no less for %d s".formatted(counts, quiet.toSeconds());
      case SLOW -> "slow: %s left and getting less".formatted(counts);
      case UNKNOWN -> counts + " left, not watched for long enough to tell slow from stuck";
    };
  }

  /** How long it had not been less than ever before when the drain ended. */
  private static Duration quiet(BatchJob drain, DrainLeft left, Instant now) {
    Duration quiet = Duration.between(left.fellAt(), drain.endedAt().orElse(now));
    return quiet.isNegative() ? Duration.ZERO : quiet;
  }
}
