package dev.drydock.orchestrator.jobs;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.api.RepairAction;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Whether a host is known to be well since it was last changed: on the way forward none is
 * recovered before that (I5).
 */
public final class SinceChanged {
  /** Who does the steps of a host reads it, too; the other repairs change it. */
  static final Set<RepairAction> READINGS = EnumSet.of(RepairAction.Diagnose, RepairAction.Verify);

  private SinceChanged() {}

  /**
   * The last Health of a host since an Update or a Repair that changes it was given to anybody, or
   * may still be.
   */
  public static Optional<JobRow> health(Handle handle, String grant, String host) {
    int changed = changed(handle, grant, host);
    return JobRow.last(handle, grant, JobStep.Health, host).filter(job -> job.round() > changed);
  }

  /** Whether it passed. */
  public static boolean healthy(Handle handle, String grant, String host) {
    return health(handle, grant, host).filter(job -> job.state() == JobState.Done).isPresent();
  }

  /** The round that changed it last; 0 if none did. */
  private static int changed(Handle handle, String grant, String host) {
    return handle
        .createQuery(
            """
            SELECT COALESCE(max(round), 0) FROM jobs
            WHERE grant_id = :grant AND host = :host
              AND (attempt > 0 OR state IN ('Pending', 'Claimed'))
              AND (step = 'Update' OR step = 'Repair' AND spec->>'repair' <> ALL(:readings))
            """)
        .bind("grant", grant)
        .bind("host", host)
        .bindArray("readings", String.class, READINGS.stream().map(RepairAction::name).toList())
        .mapTo(Integer.class)
        .one();
  }
}
