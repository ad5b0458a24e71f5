package dev.drydock.orchestrator.activity;

import dev.drydock.api.EventKind;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.orchestrator.batch.BatchPolicies;
import dev.drydock.orchestrator.jobs.Forward;
import dev.drydock.orchestrator.jobs.Marks;
import dev.drydock.orchestrator.remediation.Remediations;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.ImpoundStore;
import dev.drydock.orchestrator.store.StaleRunException;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.orchestrator.store.Zones;
import dev.drydock.platform.events.Event;
import dev.drydock.proto.crash.CrashPoint;
import io.temporal.failure.ApplicationFailure;
import java.util.Map;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The steps of a batch over PostgreSQL and the holds in etcd. Safe for use by many threads. */
public final class BatchActivitiesImpl implements BatchActivities {
  /** Type of the failure of a run that was followed by another: repeating is of no use. */
  public static final String STALE_RUN = "StaleRun";

  private final Transactor transactor;
  private final Holds holds;
  private final HoldEnd holdEnd;
  private final BatchPolicies policies;
  private final Advance advance;
  private final Zones zones;
  private final BrokenPhase brokenPhase;

  /**
   * The steps.
   *
   * @param remediations begun where a step failed and policies say what is tried
   */
  public BatchActivitiesImpl(
      Jdbi jdbi, Holds holds, BatchPolicies policies, Zones zones, Remediations remediations) {
    this.transactor = new Transactor(jdbi);
    this.holds = holds;
    this.holdEnd = new HoldEnd(jdbi, holds);
    this.policies = policies;
    this.advance = new Advance(policies);
    this.zones = zones;
    this.brokenPhase = new BrokenPhase(transactor, remediations, policies);
  }

  @Override
  public BatchRun begin(String grantId, String runKey) {
    Map<String, OnHostFailure> onHostFailure = policies.now().onHostFailure();
    return transactor.call(
        handle -> {
          GrantRow grant = GrantRow.lock(handle, grantId);
          if (grant.state().equals("proposed")) {
            throw new IllegalStateException("grant " + grantId + " is not known to be committed");
          }
          if (!grant.alive()) {
            return new BatchRun(grantId, grant.run(), true, false, false);
          }
          if (grant.run() == 0 && !onHostFailure.isEmpty()) {
            HostFailurePolicy.keep(handle, grant, onHostFailure);
          }
          return new BatchRun(
              grantId,
              takeRun(handle, grantId, runKey),
              false,
              grant.undo().isPresent(),
              grant.reclaim().isPresent());
        });
  }

  private static int takeRun(Handle handle, String grantId, String runKey) {
    handle
        .createUpdate(
            """
            UPDATE grants SET run = run + 1, run_key = :key
            WHERE id = :id AND run_key IS DISTINCT FROM :key
            """)
        .bind("key", runKey)
        .bind("id", grantId)
        .execute();
    return GrantRow.lock(handle, grantId).run();
  }

  @Override
  public Progress pursue(BatchRun run, Phase phase) {
    return inTurn(run, phase, advance::only).progress();
  }

  @Override
  public Reached advance(BatchRun run, Phase first) {
    Reached reached = inTurn(run, first, advance::from);
    while (reached.goesOn()) {
      reached = inTurn(run, reached.phase().next().orElseThrow(), advance::from);
    }
    return reached;
  }

  private interface Pursuit {
    Reached in(Handle handle, GrantRow grant, Phase first);
  }

  private Reached inTurn(BatchRun run, Phase first, Pursuit pursuit) {
    return fenced(
        () -> {
          Reached reached =
              transactor.call(
                  handle -> {
                    GrantRow grant = GrantRow.lock(handle, run.grant());
                    return grant.endedBy(run.run())
                        ? new Reached(first, new Progress(Progress.Status.NEEDLESS, ""))
                        : pursuit.in(handle, grant.requireRun(run.run()), first);
                  });
          return reached.progress().status() == Progress.Status.BROKEN
              ? new Reached(
                  reached.phase(), brokenPhase.settled(run, reached.phase(), reached.progress()))
              : reached;
        });
  }

  @Override
  public void turnBack(BatchRun run, Progress because) {
    fenced(() -> transactor.call(handle -> recordUndo(handle, run, because)));
  }

  private static boolean recordUndo(Handle handle, BatchRun run, Progress because) {
    GrantRow grant = GrantRow.lockForRun(handle, run.grant(), run.run());
    String end = because.status() == Progress.Status.HELD ? "Held" : "Reverted";
    return TurnBack.record(handle, grant, end, because.reason());
  }

  @Override
  public int quarantine(BatchRun run, Phase phase) {
    return fenced(
        () -> {
          Map<String, String> broken =
              transactor.call(
                  handle ->
                      new BatchPhases(
                              handle, GrantRow.lockForRun(handle, run.grant(), run.run()), policies)
                          .broken(phase));
          broken.forEach((host, reason) -> quarantine(run, host, reason));
          return transactor.call(
              handle -> {
                GrantRow.lockForRun(handle, run.grant(), run.run());
                return AtRelease.others(handle, run.grant()).size();
              });
        });
  }

  /**
   * First the hold, then the row: a host is never called quarantined while something might take it,
   * unless people ended its hold before, or a restored etcd lost it; then the grantor locks it so.
   */
  private void quarantine(BatchRun run, String host, String reason) {
    // Asked first: what the grantor locks from here on is found locked, or asked for once more.
    boolean toBeLocked = transactor.call(handle -> ImpoundStore.asked(handle, run.grant(), host));
    boolean locked = holds.quarantine(run.grant(), host, reason);
    String recorded =
        locked || toBeLocked ? reason : reason + "; its hold was already ended by people";
    transactor.call(
        handle -> {
          GrantRow grant = GrantRow.lockForRun(handle, run.grant(), run.run());
          if (!locked && toBeLocked) {
            ImpoundStore.ask(
                handle, ImpoundStore.of(handle, grant.id(), host, Kind.QUARANTINE, recorded));
          }
          BatchHosts.finish(handle, grant.id(), host, "Quarantined", recorded);
          Marks.effectNow(handle, host);
          Wakeups.add(handle, WorkflowIds.rollout(grant.rollout()), host);
          Event.ofHost(
                  EventKind.HostQuarantined,
                  grant.rollout(),
                  host,
                  Map.of("grant", grant.id(), "reason", recorded))
              .append(handle);
          return true;
        });
  }

  @Override
  public void recordEnd(BatchRun run) {
    CrashPoint.reach("before-end-recorded");
    fenced(
        () ->
            transactor.call(
                handle -> {
                  GrantRow grant = GrantRow.lock(handle, run.grant());
                  if (grant.endState().isEmpty()) {
                    if (grant.abort()) {
                      // The board took them back from consumers that were not let go on.
                      Forward.cancelAll(handle, grant);
                    }
                    BatchEnd.record(
                        handle, GrantRow.lockForRun(handle, run.grant(), run.run()), zones);
                  }
                  return true;
                }));
  }

  @Override
  public void endHold(String grant) {
    holdEnd.finish(grant);
  }

  private static <R extends Object> R fenced(Supplier<R> step) {
    try {
      return step.get();
    } catch (StaleRunException stale) {
      throw ApplicationFailure.newNonRetryableFailureWithCause(
          String.valueOf(stale.getMessage()), STALE_RUN, stale);
    }
  }
}
