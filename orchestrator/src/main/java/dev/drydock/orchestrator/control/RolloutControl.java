package dev.drydock.orchestrator.control;

import dev.drydock.api.RolloutState;
import dev.drydock.orchestrator.activity.TurnBack;
import dev.drydock.orchestrator.store.CohortHalts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.Reasons;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Audit;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Notifications;
import dev.drydock.proto.Json;
import dev.drydock.proto.crash.CrashPoint;
import java.util.List;
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

  public RolloutControl(Jdbi jdbi) {
    this.transactor = new Transactor(jdbi);
  }

  /**
   * Brings the rollout to the state the command leads to.
   *
   * @param reason why, for everybody who sees the rollout
   * @throws ApiException 404 if there is no such rollout; 403 for an owner whose applications it
   *     does not touch; 409 with its state if that does not allow the command
   */
  public void command(Principal by, String rollout, Command command, String reason) {
    transactor.call(
        handle -> {
          OpenRollout now = OpenRollout.lock(handle, rollout);
          Concern.require(handle, by, rollout, command.word());
          RolloutState next =
              command.from(now.state(), now.waits()).orElseThrow(() -> now.refuses(command.word()));
          // A rollout that runs may have halted cohorts, which go on as well.
          boolean lifted =
              command == Command.RESUME && CohortHalts.lift(handle, rollout, by.name());
          boolean entered =
              (lifted || next != now.state()) && enter(handle, by, now, next, command, reason);
          CrashPoint.reach(point(command, "writing"));
          return entered;
        });
    CrashPoint.reach(point(command, "written"));
  }

  private static String point(Command command, String moment) {
    return "rollout-" + command.word() + "-" + moment;
  }

  private static boolean enter(
      Handle handle,
      Principal by,
      OpenRollout now,
      RolloutState next,
      Command command,
      String reason) {
    handle
        .createUpdate(
            """
            UPDATE rollouts SET state = :state, state_by = :by, state_reason = :reason
            WHERE id = :id
            """)
        .bind("state", next.name())
        .bind("by", by.name())
        .bind("reason", reason)
        .bind("id", now.id())
        .execute();
    if (command == Command.ABORT) {
      bringBack(handle, now.id(), Reasons.by("aborted", by.name(), reason));
    }
    Audit.record(
        handle,
        by,
        "rollout." + command.word(),
        "rollout/" + now.id(),
        Json.writeTree(Map.of("reason", reason, "from", now.state().name(), "to", next.name())));
    Wakeups.add(handle, WorkflowIds.rollout(now.id()), command.word());
    Notifications.notify(handle, Wakeups.GRANTOR_CHANNEL);
    return true;
  }

  /**
   * Batches whose update has begun go on to their end: half an update is worse than a whole one.
   */
  private static void bringBack(Handle handle, String rollout, String reason) {
    List<String> grants =
        handle
            .createQuery(
                """
                SELECT id FROM grants
                WHERE rollout = :rollout AND state IN ('proposed', 'granted') ORDER BY id
                """)
            .bind("rollout", rollout)
            .mapTo(String.class)
            .list();
    for (String id : grants) {
      GrantRow grant = GrantRow.lock(handle, id);
      if (!TurnBack.updateBegan(handle, grant)) {
        TurnBack.record(handle, grant, "Cancelled", reason);
      }
      Wakeups.add(handle, WorkflowIds.batch(id), "abort");
    }
  }
}
