package dev.drydock.orchestrator;

import dev.drydock.lock.core.Candidates;
import dev.drydock.lock.core.Holds;
import dev.drydock.orchestrator.batch.HoldReleaser;
import dev.drydock.orchestrator.recovery.RecoveryDriver;
import dev.drydock.orchestrator.store.GrantStore;
import dev.drydock.orchestrator.store.RolloutLifecycle;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.orchestrator.temporal.NamespaceMissingException;
import dev.drydock.orchestrator.temporal.Workflows;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finishes what a dead process left half done: proposals between two stores, grants and rollouts
 * without a workflow, holds of ended grants. Every duty is idempotent, so that any number of
 * processes may sweep.
 */
final class Sweeper {
  private static final Logger log = LoggerFactory.getLogger(Sweeper.class);
  private static final String PROPOSED_TOO_LONG = "proposed for too long, its grantor is gone";

  private final Candidates candidates;
  private final Holds holds;
  private final HoldReleaser holdReleaser;
  private final GrantStore grants;
  private final RolloutStore rollouts;
  private final RolloutLifecycle course;
  private final Wakeups wakeups;
  private final Workflows workflows;
  private final LostRuns lostRuns;
  private final BooleanSupplier connected;
  private final Supplier<RecoveryDriver.Mode> mode;
  private volatile Optional<String> blind = Optional.empty();

  /**
   * The sweeper.
   *
   * @param connected whether workflows can be started now
   * @param mode what may be done of it: rows of a store that was restored are not carried out
   */
  Sweeper(
      Jdbi jdbi,
      Candidates candidates,
      Holds holds,
      Workflows workflows,
      BooleanSupplier connected,
      Supplier<RecoveryDriver.Mode> mode) {
    this.candidates = candidates;
    this.holds = holds;
    this.holdReleaser = new HoldReleaser(jdbi, holds);
    this.grants = new GrantStore(jdbi);
    this.rollouts = new RolloutStore(jdbi);
    this.course = new RolloutLifecycle(jdbi);
    this.wakeups = new Wakeups(jdbi);
    this.workflows = workflows;
    this.lostRuns = new LostRuns(grants, workflows);
    this.connected = connected;
    this.mode = mode;
  }

  /**
   * One round over everything that needs no Temporal. A duty that fails keeps no other from being
   * done; the next round repeats it.
   */
  void sweep() {
    if (mode.get() != RecoveryDriver.Mode.NONE) {
      return;
    }
    duty("stuck proposals", () -> grants.stuckProposals().forEach(each("proposal", this::settle)));
    duty("holds", () -> grants.endedWithHold().forEach(each("hold", holdReleaser::finish)));
    duty("scheduled rollouts", course::startDue);
    duty("old wake-ups", wakeups::prune);
  }

  /** One round over the workflows that should run; may take long when Temporal hangs. */
  void sweepWorkflows() {
    if (connected.getAsBoolean() && mode.get() != RecoveryDriver.Mode.CLOSED) {
      duty("workflows", this::startMissing);
    }
  }

  /** Why nobody can tell which workflows run, as of the last round; empty if it could be told. */
  Optional<String> blind() {
    return blind;
  }

  private void startMissing() {
    try {
      look();
      blind = Optional.empty();
    } catch (NamespaceMissingException missing) {
      // Said once: it may take hours until it is back.
      if (blind.isEmpty()) {
        log.error("no batch is reclaimed: {}", missing.getMessage());
      }
      blind = Optional.ofNullable(missing.getMessage());
    }
  }

  private void look() {
    if (answered("batch", lostRuns.next(), lostRuns::look)) {
      answered("rollout", rollouts.open(), this::startRollout);
    }
  }

  /**
   * Stops at the first call that Temporal leaves unanswered, because each of the others would wait
   * for its whole time-out as well.
   *
   * @return whether it did not stop
   */
  private static <T> boolean answered(String kind, List<T> ids, Consumer<T> start) {
    for (T id : ids) {
      try {
        start.accept(id);
      } catch (NamespaceMissingException missing) {
        throw missing; // So are the others.
      } catch (RuntimeException failed) {
        log.warn("starting {} {} failed, the next round repeats it", kind, id, failed);
        if (unanswered(failed)) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean unanswered(Throwable failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (cause instanceof StatusRuntimeException status) {
        Status.Code code = status.getStatus().getCode();
        return code == Status.Code.UNAVAILABLE || code == Status.Code.DEADLINE_EXCEEDED;
      }
    }
    return false;
  }

  /** Of a grantor that still commits and this void exactly one wins, in etcd (protocol P5). */
  private void settle(Holds.Proposed proposed) {
    String grant = proposed.grantId();
    switch (holds.voidGrant(proposed, PROPOSED_TOO_LONG)) {
      case Holds.Settled.Committed(long revision) -> candidates.committed(grant, revision);
      case Holds.Settled.Voided() -> candidates.voided(grant, PROPOSED_TOO_LONG);
    }
  }

  private void startRollout(String rollout) {
    if (workflows.gone(WorkflowIds.rollout(rollout)).isPresent()) {
      log.info("no workflow watches rollout {}, starting one", rollout);
      workflows.startRollout(rollout);
    }
  }

  private static void duty(String name, Runnable duty) {
    try {
      duty.run();
    } catch (RuntimeException failed) {
      log.warn("sweeping {} failed, the next round repeats it", name, failed);
    }
  }

  private static <T> Consumer<T> each(String kind, Consumer<T> work) {
    return one -> duty(kind + " " + one, () -> work.accept(one));
  }
}
