package dev.drydock.orchestrator.jobs;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.store.GrantRow;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * The steps that only lead forward, and how those of a batch end that goes forward no more: what
 * nobody has now is cancelled, that included which somebody had and the board took back after lease
 * and margin. The caller holds the lock of the grant.
 */
public final class Forward {
  private static final Set<JobStep> STEPS =
      EnumSet.of(
          JobStep.Verify,
          JobStep.Freeze,
          JobStep.Hook,
          JobStep.Drain,
          JobStep.Update,
          JobStep.Health,
          JobStep.Repair);
  private static final Set<JobStep> READINGS = EnumSet.of(JobStep.Verify, JobStep.Health);

  private Forward() {}

  /** Whether a batch that goes back needs the step no more. */
  static boolean leads(JobStep step) {
    return STEPS.contains(step);
  }

  static List<String> names() {
    return STEPS.stream().map(JobStep::name).toList();
  }

  /** Cancels the forward jobs of a grant. */
  public static void cancel(Handle handle, GrantRow grant) {
    cancel(handle, grant, STEPS);
  }

  /** The same for those alone that change a host. */
  public static void cancelEffects(Handle handle, GrantRow grant) {
    cancel(handle, grant, STEPS.stream().filter(step -> !READINGS.contains(step)).toList());
  }

  /** The same for all its jobs, those that lead back included. */
  public static void cancelAll(Handle handle, GrantRow grant) {
    cancel(handle, grant, Stream.of(JobStep.values()).toList());
  }

  /**
   * The same for all that an earlier run asked for on a host: its tokens are older than those of
   * what the host is given from now on.
   */
  public static void cancelEarlier(Handle handle, GrantRow grant, String host) {
    handle
        .createUpdate(
            """
            UPDATE jobs SET state = 'Cancelled', ended_at = clock_timestamp()
            WHERE grant_id = :grant AND host = :host AND state = 'Pending' AND run < :run
            """)
        .bind("grant", grant.id())
        .bind("host", host)
        .bind("run", grant.run())
        .execute();
  }

  private static void cancel(Handle handle, GrantRow grant, Collection<JobStep> steps) {
    handle
        .createUpdate(
            """
            UPDATE jobs SET state = 'Cancelled', ended_at = clock_timestamp()
            WHERE grant_id = :grant AND state = 'Pending' AND step = ANY(:steps)
            """)
        .bind("grant", grant.id())
        .bindArray("steps", String.class, steps.stream().map(JobStep::name).toList())
        .execute();
  }
}
