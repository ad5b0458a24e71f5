package dev.drydock.orchestrator.batch;

import dev.drydock.orchestrator.core.batch.BatchPlanner;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.orchestrator.store.ZonePolicy;
import dev.drydock.proto.crash.CrashPoint;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a batch, decides, and writes what was decided, in a transaction that holds the lock of the
 * grant. Where an effect outside of PostgreSQL has to come first, it stops before that effect.
 * Thread-safe.
 */
public final class BatchMover implements BatchAdvancer {
  private static final Logger log = LoggerFactory.getLogger(BatchMover.class);
  private static final String BEFORE = "moved";

  private final BatchPolicies policies;
  private final SnapshotReader reader;
  private final ZonePolicy zonePolicy;

  /**
   * Moves batches.
   *
   * @param policies read before each transaction
   * @param zonePolicy asked when a batch ends
   */
  public BatchMover(BatchPolicies policies, SnapshotReader reader, ZonePolicy zonePolicy) {
    this.policies = policies;
    this.reader = reader;
    this.zonePolicy = zonePolicy;
  }

  /** To be called outside of transactions. */
  PoliciesInForce policies() {
    return policies.now();
  }

  @Override
  public Move ready() {
    PoliciesInForce now = policies.now();
    return (handle, grant, cause) -> moved(handle, grant, cause, now);
  }

  /** Moves a batch inside the transaction of the caller, which changed something of it. */
  public void moved(Handle handle, String grantId, String cause, PoliciesInForce now) {
    if (!guarded(handle, grantId, () -> rests(handle, grantId, now))) {
      Wakeups.add(handle, WorkflowIds.batch(grantId), cause);
    }
  }

  /** Whether its workflow has nothing to do. */
  private boolean rests(Handle handle, String grantId, PoliciesInForce now) {
    GrantRow grant = GrantRow.lock(handle, grantId);
    if (!grant.alive() || grant.run() == 0) {
      return true;
    }
    // Until the run that reclaims it has begun, its number is that of the lost one.
    return grant.reclaim().isEmpty()
        && decide(handle, grant, now, false) instanceof PendingEffects.Nothing;
  }

  /** What was written before is kept, whatever comes of this. */
  private static boolean guarded(Handle handle, String grant, BooleanSupplier step) {
    handle.savepoint(BEFORE);
    try {
      boolean rests = step.getAsBoolean();
      handle.releaseSavepoint(BEFORE);
      return rests;
    } catch (RuntimeException failed) {
      if (Transactor.repeatable(failed)) {
        throw failed;
      }
      handle.rollbackToSavepoint(BEFORE);
      log.warn("grant {} does not go on at once: {}", grant, failed.getMessage());
      return false;
    }
  }

  /**
   * Decides and writes.
   *
   * @param grant whose lock the transaction of the handle holds
   * @param mayEnd whether the end of the batch is written as well
   */
  PendingEffects decide(Handle handle, GrantRow grant, PoliciesInForce now, boolean mayEnd) {
    BatchSnapshot batch = reader.read(handle, grant.id(), now);
    List<Action> decided = BatchPlanner.decide(batch);
    List<Action> inside = decided.stream().takeWhile(action -> inside(action, mayEnd)).toList();
    BatchInterpreter interpreter = new BatchInterpreter(handle, grant, zonePolicy);
    inside.forEach(interpreter::apply);
    reachPoints(handle, inside);
    if (inside.size() == decided.size()) {
      return new PendingEffects.Nothing(look(batch, decided));
    }
    return decided.get(inside.size()) instanceof Action.EndBatch
        ? new PendingEffects.ToEnd()
        : new PendingEffects.ToLock(quarantines(decided.subList(inside.size(), decided.size())));
  }

  private static boolean inside(Action action, boolean mayEnd) {
    return !(action instanceof Action.Quarantine)
        && (mayEnd || !(action instanceof Action.EndBatch));
  }

  private static List<Action.Quarantine> quarantines(List<Action> actions) {
    return actions.stream()
        .takeWhile(Action.Quarantine.class::isInstance)
        .map(Action.Quarantine.class::cast)
        .toList();
  }

  private static DriveResult look(BatchSnapshot batch, List<Action> decided) {
    if (decided.stream().anyMatch(Action.EndBatch.class::isInstance)) {
      return DriveResult.over();
    }
    Optional<Action> last = decided.isEmpty() ? Optional.empty() : Optional.of(decided.getLast());
    return last.filter(Action.Wait.class::isInstance)
        .map(Action.Wait.class::cast)
        .map(wait -> DriveResult.resting(batch.now(), wait.until()))
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "a decision about grant "
                        + batch.grant().id()
                        + " says not what it waits for"));
  }

  private static void reachPoints(Handle handle, List<Action> written) {
    List<String> phases =
        written.stream()
            .filter(Action.InPhase.class::isInstance)
            .map(Action.InPhase.class::cast)
            .map(in -> point(in.phase()))
            .distinct()
            .toList();
    boolean published = written.stream().anyMatch(Action.Publish.class::isInstance);
    phases.forEach(phase -> CrashPoint.reach(phase + "-writing"));
    handle.afterCommit(
        () -> {
          phases.forEach(phase -> CrashPoint.reach(phase + "-written"));
          if (published) {
            CrashPoint.reach("after-job-published");
          }
        });
  }

  private static String point(Phase phase) {
    return "phase-" + phase.name().toLowerCase(Locale.ROOT);
  }
}
