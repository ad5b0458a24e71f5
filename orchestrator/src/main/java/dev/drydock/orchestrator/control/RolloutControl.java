package dev.drydock.orchestrator.control;

import dev.drydock.api.RolloutState;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.orchestrator.store.CohortHalts;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import dev.drydock.proto.Json;
import dev.drydock.proto.crash.CrashPoint;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Pause, resume and abort. State, audit, event and what follows for its batches are one
 * transaction: once a command was answered, no batch of a paused or aborted rollout is proposed any
 * more, because a proposal reads the state under a lock that conflicts with the one here. Asking
 * again changes nothing. Safe for use by many threads.
 */
public final class RolloutControl {
  private final Transactor transactor;
  private final BatchAdvancer batchAdvancer;

  /**
   * Commands.
   *
   * @param batchAdvancer moves batches on when their rollout is aborted
   */
  public RolloutControl(Jdbi jdbi, BatchAdvancer batchAdvancer) {
    this.transactor = new Transactor(jdbi);
    this.batchAdvancer = batchAdvancer;
  }

  /**
   * Brings the rollout to the state the command leads to.
   *
   * @param reason why, for everybody who sees the rollout
   * @throws ApiException 404 if there is no such rollout; 403 for an owner whose applications it
   *     does not touch; 409 with its state if that does not allow the command
   */
  public void command(Principal by, String rollout, RolloutCommand command, String reason) {
    BatchAdvancer.Move move = batchAdvancer.ready();
    transactor.call(
        handle -> {
          OpenRollout now = OpenRollout.lock(handle, rollout);
          RolloutOwnership.require(handle, by, rollout, command.word());
          RolloutState next =
              command.from(now.state(), now.waits()).orElseThrow(() -> now.refuses(command.word()));
          // A rollout that runs may have halted cohorts, which go on as well.
          boolean lifted =
              command == RolloutCommand.RESUME && CohortHalts.lift(handle, rollout, by.name());
          boolean entered =
              (lifted || next != now.state())
                  && enter(handle, new Entered(by, now, next, command, reason), move);
          CrashPoint.reach(point(command, "writing"));
          return entered;
        });
    CrashPoint.reach(point(command, "written"));
  }

  private static String point(RolloutCommand command, String moment) {
    return "rollout-" + command.word() + "-" + moment;
  }

  /** A command that leads a rollout to another state. */
  private record Entered(
      Principal by, OpenRollout now, RolloutState next, RolloutCommand command, String reason) {}

  private static boolean enter(Handle handle, Entered entered, BatchAdvancer.Move move) {
    OpenRollout now = entered.now();
    String word = entered.command().word();
    Sql.update(
        handle,
        """
        UPDATE rollouts SET state = :state, state_by = :by, state_reason = :reason
        WHERE id = :id
        """,
        Map.of(
            "state", entered.next().name(),
            "by", entered.by().name(),
            "reason", entered.reason(),
            "id", now.id()));
    if (entered.command() == RolloutCommand.ABORT) {
      bringBack(handle, now.id(), move);
    }
    AuditTrail.record(
        handle,
        entered.by(),
        "rollout." + word,
        "rollout/" + now.id(),
        Json.writeTree(
            Map.of(
                "reason", entered.reason(),
                "from", now.state().name(),
                "to", entered.next().name())));
    Wakeups.add(handle, WorkflowIds.rollout(now.id()), word);
    WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
    return true;
  }

  /**
   * Batches turn back as the rollout is aborted. A batch whose update has begun goes on to its end:
   * half an update is worse than a whole one. A batch that is only proposed turns back when it
   * begins.
   */
  private static void bringBack(Handle handle, String rollout, BatchAdvancer.Move move) {
    Sql.texts(
            handle,
            "SELECT id FROM grants WHERE rollout = :rollout AND state = 'granted' ORDER BY id",
            Map.of("rollout", rollout))
        .forEach(grant -> move.moved(handle, grant, "abort"));
  }
}
