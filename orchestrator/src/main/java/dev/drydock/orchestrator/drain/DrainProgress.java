package dev.drydock.orchestrator.drain;

import dev.drydock.api.DrainPace;
import java.time.Duration;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * What consumers told of one drain while it ran.
 *
 * @param first how much was left when they first told
 * @param least the least they told
 * @param now what they told last
 * @param what of what, in the plural
 * @param noLess how long it had not been less than ever before when the drain ended
 */
public record DrainProgress(long first, long least, long now, String what, Duration noLess) {
  /** What got no less for such a share of the time-out is stuck. */
  private static final int STUCK_SHARE = 3;

  /** Of a job, if its consumers told anything. */
  static Optional<DrainProgress> of(Handle handle, String job) {
    return handle
        .createQuery(
            """
            SELECT left_first, left_least, left_now, left_what,
                   CAST(extract(epoch FROM COALESCE(ended_at, clock_timestamp()) - left_fell_at) AS bigint)
                     AS seconds
            FROM jobs WHERE id = :id AND left_first IS NOT NULL
            """)
        .bind("id", job)
        .map(
            (row, _) ->
                new DrainProgress(
                    row.getLong("left_first"),
                    row.getLong("left_least"),
                    row.getLong("left_now"),
                    row.getString("left_what"),
                    Duration.ofSeconds(Math.max(0, row.getLong("seconds")))))
        .findOne();
  }

  /** Tells a slow drain from one that would never have ended. */
  DrainPace pace(Duration timeout) {
    if (noLess.multipliedBy(STUCK_SHARE).compareTo(timeout) >= 0) {
      return DrainPace.Stuck;
    }
    return least < first ? DrainPace.Slow : DrainPace.Unknown;
  }

  /** The same as people read it, with the numbers. */
  String says(Duration timeout) {
    String counts = now == first ? now + " " + what : now + " of " + first + " " + what;
    return switch (pace(timeout)) {
      case Stuck -> "stuck: %s left, no less for %d s".formatted(counts, noLess.toSeconds());
      case Slow -> "slow: %s left and getting less".formatted(counts);
      case Unknown, $UNKNOWN ->
          counts + " left, not watched for long enough to tell slow from stuck";
    };
  }
}
