package dev.drydock.orchestrator.remediation;

import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.platform.store.Sql;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;

/** On how many hosts of the fleet something may be done at once to repair them. Thread-safe. */
public final class RepairSlots {
  private final Jdbi jdbi;
  private final int atOnce;

  public RepairSlots(Jdbi jdbi, int atOnce) {
    this.jdbi = jdbi;
    this.atOnce = atOnce;
  }

  /**
   * Whether as many hosts are repaired as may be at once, or were so lately: other hosts wait for
   * their turn.
   */
  public boolean taken(Duration lately) {
    return atOnce <= acting(lately);
  }

  private int acting(Duration lately) {
    return Sql.one(
        jdbi,
        Integer.class,
        """
        SELECT count(*) FROM remediations r
        JOIN remediation_steps s USING (grant_id, host, step)
        JOIN jobs j ON j.id = s.job
        WHERE s.action = ANY(:acts)
          AND (r.state = 'Open'
               OR r.ended_at > clock_timestamp() - make_interval(secs => :lately))
          AND (j.state IN ('Pending', 'Claimed')
               OR j.ended_at > clock_timestamp() - make_interval(secs => :lately))
        """,
        Map.of(
            "acts",
                Stream.of(RepairAction.values())
                    .filter(RepairAction::acts)
                    .map(RepairAction::word)
                    .toList(),
            "lately", lately.toSeconds()));
  }
}
