package dev.drydock.orchestrator.batch;

import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import dev.drydock.proto.crash.CrashPoint;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Ends the hold of a grant whose end is recorded. Whoever finds it unfinished finishes it: the
 * batch or the sweeper. Safe for use by many threads.
 */
public final class HoldReleaser {
  private final Jdbi jdbi;
  private final Holds holds;

  public HoldReleaser(Jdbi jdbi, Holds holds) {
    this.jdbi = jdbi;
    this.holds = holds;
  }

  /** Ends the batch locks of the grant; quarantined hosts stay locked. */
  public void finish(String grantId) {
    GrantRow grant =
        jdbi.withHandle(handle -> GrantRow.find(handle, grantId))
            .orElseThrow(() -> new IllegalArgumentException("there is no grant " + grantId));
    if (grant.state().equals("void")) {
      return;
    }
    String endState =
        grant
            .endState()
            .orElseThrow(
                () ->
                    new IllegalStateException("the end of grant " + grantId + " is not recorded"));
    CrashPoint.reach("before-hold-ended");
    for (LockRecord lock : holds.find(grantId)) {
      if (lock.kind() == LockRecord.Kind.BATCH) {
        end(lock, endState);
      }
    }
    CrashPoint.reach("after-hold-ended");
    jdbi.useTransaction(handle -> recordGone(handle, grantId));
  }

  /**
   * The mark of the last effect is the mark of the verified read after it: budgets are free at
   * once.
   */
  private void end(LockRecord lock, String reason) {
    long mark =
        Sql.one(
            jdbi,
            Long.class,
            "SELECT effect_mark FROM hosts WHERE name = :host",
            Map.of("host", lock.host()));
    holds.end(
        new Holds.End(
            lock.id(), List.of(lock.host()), lock.token(), mark, "batch " + lock.id(), reason));
  }

  private static void recordGone(Handle handle, String grantId) {
    Sql.update(
        handle,
        """
        UPDATE grants SET hold_ended_at = clock_timestamp()
        WHERE id = :id AND hold_ended_at IS NULL
        """,
        Map.of("id", grantId));
    WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
  }
}
