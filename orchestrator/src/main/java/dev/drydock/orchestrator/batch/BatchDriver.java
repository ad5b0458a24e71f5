package dev.drydock.orchestrator.batch;

import dev.drydock.lock.core.Holds;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.ImpoundStore;
import dev.drydock.orchestrator.store.StaleRunException;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.crash.CrashPoint;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Drives batches for their workflows: what was decided is written, and what has to be done in etcd
 * is done between two transactions. All of it may be repeated. Thread-safe.
 */
public final class BatchDriver {
  /** Far more than any batch has decisions in a row. */
  private static final int DECISIONS_MAX = 1000;

  private final Transactor transactor;
  private final Holds holds;
  private final HoldReleaser holdReleaser;
  private final BatchMover mover;

  public BatchDriver(Jdbi jdbi, Holds holds, BatchMover mover) {
    this.transactor = new Transactor(jdbi);
    this.holds = holds;
    this.holdReleaser = new HoldReleaser(jdbi, holds);
    this.mover = mover;
  }

  /**
   * Takes the next run number of the grant for a workflow run.
   *
   * @param runKey Temporal's id of the run; the same key gets the same number
   */
  public BatchRun begin(String grantId, String runKey) {
    PoliciesInForce now = mover.policies();
    return transactor.call(
        handle -> {
          GrantRow grant = GrantRow.lock(handle, grantId);
          if (grant.state().equals("proposed")) {
            throw new IllegalStateException("grant " + grantId + " is not known to be committed");
          }
          if (!grant.alive()) {
            return new BatchRun(grantId, grant.run(), true);
          }
          if (grant.run() == 0 && !now.onHostFailure().isEmpty()) {
            HostFailurePolicy.keep(handle, grant, now.onHostFailure());
          }
          return new BatchRun(grantId, takeRun(handle, grantId, runKey), false);
        });
  }

  private static int takeRun(Handle handle, String grantId, String runKey) {
    Sql.update(
        handle,
        """
        UPDATE grants SET run = run + 1, run_key = :key
        WHERE id = :id AND run_key IS DISTINCT FROM :key
        """,
        Map.of("key", runKey, "id", grantId));
    return GrantRow.lock(handle, grantId).run();
  }

  /**
   * Moves the batch until nothing more can be done now. Nothing is left to do once this run wrote
   * the end of the batch: the answer to that may have been lost.
   *
   * @throws StaleRunException if the run was followed by another
   */
  public DriveResult drive(BatchRun run) {
    List<LockedHost> locked = List.of();
    boolean mayEnd = false;
    for (int decision = 0; decision < DECISIONS_MAX; decision++) {
      switch (decided(run, locked, mayEnd)) {
        case PendingEffects.Nothing(DriveResult driveResult) -> {
          return driveResult;
        }
        case PendingEffects.ToLock(List<Action.Quarantine> hosts) -> {
          locked = hosts.stream().map(host -> lock(run.grant(), host)).toList();
          mayEnd = false;
        }
        case PendingEffects.ToEnd() -> {
          CrashPoint.reach("before-end-recorded");
          locked = List.of();
          mayEnd = true;
        }
      }
    }
    throw new IllegalStateException(
        "decisions about grant %s come to no rest, after %d of them"
            .formatted(run.grant(), DECISIONS_MAX));
  }

  /** One transaction. Hosts that were locked leave the batch first. */
  private PendingEffects decided(BatchRun run, List<LockedHost> locked, boolean mayEnd) {
    PoliciesInForce now = mover.policies();
    return transactor.call(
        handle -> {
          GrantRow grant = GrantRow.lock(handle, run.grant());
          if (grant.endedBy(run.run())) {
            return new PendingEffects.Nothing(DriveResult.over());
          }
          grant.requireRun(run.run());
          locked.forEach(host -> host.leave(handle, grant));
          return mover.decide(handle, grant, now, mayEnd);
        });
  }

  private LockedHost lock(String grant, Action.Quarantine host) {
    // Asked first: what the grantor locks from here on is found locked, or asked for once more.
    boolean toBeLocked = transactor.call(handle -> ImpoundStore.asked(handle, grant, host.host()));
    boolean locked = holds.quarantine(grant, host.host(), host.reason());
    return new LockedHost(host.host(), host.reason(), locked, toBeLocked);
  }

  /** Ends what the grant still holds, except quarantines. */
  public void endHold(String grant) {
    holdReleaser.finish(grant);
  }
}
