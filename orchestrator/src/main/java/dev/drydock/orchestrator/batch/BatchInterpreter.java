package dev.drydock.orchestrator.batch;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.jobs.EffectMarks;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.ZonePolicy;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Writes the actions of one decision about a batch, in their order, in a transaction that holds the
 * lock of its grant. Confined to that transaction.
 */
final class BatchInterpreter {
  private final Handle handle;
  private final GrantRow grant;
  private final ZonePolicy zonePolicy;
  private final JobWriter jobs;
  private final DecisionWriter decisions;
  private final RepairWriter repairs;
  private final EndWriter ends;
  private boolean goesBack;

  /**
   * Writes for one grant.
   *
   * @param grant as the lock found it
   * @param zonePolicy asked when the batch ends
   */
  BatchInterpreter(Handle handle, GrantRow grant, ZonePolicy zonePolicy) {
    this.handle = handle;
    this.grant = grant;
    this.zonePolicy = zonePolicy;
    this.jobs = new JobWriter(handle, grant);
    this.decisions = new DecisionWriter(handle, grant);
    this.repairs = new RepairWriter(handle, grant);
    this.ends = new EndWriter(handle, grant);
    this.goesBack = grant.undo().isPresent();
  }

  /** Writes one action. */
  void apply(Action action) {
    switch (action) {
      case Action.InPhase(var _), Action.Wait(var _, String _) -> {}
      case Action.Publish(var order) -> jobs.publish(order);
      case Action.Adopt(String job) -> jobs.adopt(job);
      case Action.Cancel(List<String> ids) -> jobs.cancel(ids);
      case Action.AskCheck(Check.Kind kind, int round) -> ask(kind, round);
      case Action.WriteHooks(var hooks) -> new HookWriter(handle, grant).write(hooks);
      case Action.ShowStep(String host, String step) ->
          BatchHosts.step(handle, grant.id(), host, step);
      case Action.ShowReason(String host, String reason) ->
          BatchHosts.says(handle, grant.id(), List.of(host), reason);
      case Action.ForgetRelease(String host) -> EffectMarks.noRelease(handle, host);
      case Action.GoBack(RollbackTarget end, String reason) -> goBack(end, reason);
      case Action.Ask(var decision) -> decisions.ask(decision);
      case Action.Remind(var decision) -> decisions.remind(decision);
      case Action.Withdraw(var decision) -> decisions.withdraw(decision);
      case Action.BeginRepair(var begun) -> repairs.begin(begun);
      case Action.TakeRepair(String host, var step, int number, var taken) ->
          repairs.take(host, step, number, taken);
      case Action.EndRepair(var ended, String signature) -> repairs.end(ended, signature);
      case Action.ChooseRelease(String host, boolean before) ->
          BatchHosts.goBack(handle, grant.id(), host, before);
      case Action.Condemn(String host, String reason) ->
          BatchHosts.condemn(handle, grant.id(), host, reason);
      case Action.Quarantine(String host, String reason) -> ends.quarantined(host, reason);
      case Action.Return(String host, var end, String reason) -> ends.returned(host, end, reason);
      case Action.EndBatch end -> ends.end(end, goesBack, zonePolicy);
    }
  }

  private void ask(Check.Kind kind, int round) {
    Sql.update(
        handle,
        """
        INSERT INTO checks (grant_id, kind, round, run, state)
        VALUES (:grant, :kind, :round, :run, 'requested')
        """,
        Map.of(
            "grant", grant.id(),
            "kind", kind.word(),
            "round", round,
            "run", grant.run()));
    WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
  }

  private void goBack(RollbackTarget end, String reason) {
    goesBack = true;
    Sql.update(
        handle,
        "UPDATE grants SET undo = :undo, undo_reason = :reason WHERE id = :id",
        Map.of("undo", end.word(), "reason", reason, "id", grant.id()));
    NewEvent.ofRollout(
            EventKind.BatchTurnedBack,
            grant.rollout(),
            Map.of("grant", grant.id(), "to", end.word(), "reason", reason))
        .append(handle);
  }
}
