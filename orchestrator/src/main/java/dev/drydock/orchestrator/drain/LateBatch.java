package dev.drydock.orchestrator.drain;

import dev.drydock.api.DrainPace;
import dev.drydock.impact.core.LateDrain;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A batch of which hosts were not drained in time, as its row says.
 *
 * @param jobs the Drains that ended so
 * @param hosts theirs
 * @param says why, in one sentence, with the numbers
 * @param expired whether its time for an answer is over by the clock of the database
 * @param remindDue whether people should be reminded now
 * @param forceBy who asked that what is left is stopped
 * @param openRound the last round of the open check when it was decided; 0 before
 */
public record LateBatch(
    String id,
    String grant,
    List<String> jobs,
    List<String> hosts,
    LateDrain.Way way,
    DrainPace pace,
    String says,
    Instant expiresAt,
    boolean expired,
    boolean remindDue,
    Optional<String> forceBy,
    Optional<Decided> decided,
    int openRound) {

  public LateBatch {
    jobs = List.copyOf(jobs);
    hosts = List.copyOf(hosts);
  }

  /** What becomes of it. */
  public enum Decision {
    WAIT,
    FORCE,
    REVERT,
    REQUEUE,
    QUARANTINE
  }

  /** Once it is decided. */
  public record Decided(Decision decision, String by, String reason) {

    /** As people read it. */
    public String says() {
      return Words.of(decision) + " by " + by + (reason.isEmpty() ? "" : ": " + reason);
    }
  }

  static LateBatch of(ResultSet row) throws SQLException {
    return new LateBatch(
        row.getString("id"),
        row.getString("grant_id"),
        List.of((String[]) row.getArray("jobs").getArray()),
        List.of((String[]) row.getArray("hosts").getArray()),
        LateDrain.Way.valueOf(Words.constant(row.getString("way"))),
        DrainPace.valueOf(row.getString("pace")),
        row.getString("says"),
        row.getTimestamp("expires_at").toInstant(),
        row.getBoolean("expired"),
        row.getBoolean("remind_due"),
        Optional.ofNullable(row.getString("force_by")),
        decided(row),
        row.getInt("open_round"));
  }

  private static Optional<Decided> decided(ResultSet row) throws SQLException {
    String decision = row.getString("decision");
    return decision == null
        ? Optional.empty()
        : Optional.of(
            new Decided(
                Decision.valueOf(Words.constant(decision)),
                row.getString("decided_by"),
                row.getString("decided_reason")));
  }
}
