package dev.drydock.orchestrator.activity;

import dev.drydock.api.EventKind;
import dev.drydock.lock.core.HoldOwner;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.orchestrator.jobs.Forward;
import dev.drydock.orchestrator.jobs.Marks;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.ImpoundStore;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.platform.events.Event;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Takes a batch away from its workflow: claims are barred first, and once its hosts are quarantined
 * they leave it. What a consumer has begun there is unknown, so nothing is undone; the workflow
 * finds no host left and ends. Safe for use by many threads.
 */
public final class BrokenBatch implements HoldOwner {
  private final Transactor transactor;

  public BrokenBatch(Jdbi jdbi) {
    this.transactor = new Transactor(jdbi);
  }

  @Override
  public void bar(String grantId) {
    transactor.call(
        handle -> {
          GrantRow grant = GrantRow.lock(handle, grantId);
          handle
              .createUpdate(
                  "UPDATE grants SET abort = true WHERE id = :id AND state IN ('proposed',"
                      + " 'granted')")
              .bind("id", grantId)
              .execute();
          Forward.cancelAll(handle, grant);
          return true;
        });
  }

  @Override
  public void broken(String grantId, String reason) {
    transactor.call(
        handle -> {
          GrantRow grant = GrantRow.lock(handle, grantId);
          // Some may have been published between the bar and the quarantine.
          Forward.cancelAll(handle, grant);
          BatchHosts.active(handle, grantId).forEach(host -> leave(handle, grant, host, reason));
          Wakeups.add(handle, WorkflowIds.batch(grantId), "broken");
          return true;
        });
  }

  /** The same, and the grantor locks what is not locked: nobody is to get these hosts. */
  public void left(String grantId, String reason) {
    transactor.call(
        handle -> {
          GrantRow.lock(handle, grantId);
          for (String host : BatchHosts.active(handle, grantId)) {
            ImpoundStore.ask(
                handle, ImpoundStore.of(handle, grantId, host, Kind.QUARANTINE, reason));
          }
          return true;
        });
    broken(grantId, reason);
  }

  private static void leave(Handle handle, GrantRow grant, String host, String reason) {
    BatchHosts.finish(handle, grant.id(), host, "Quarantined", reason);
    Marks.effectNow(handle, host);
    Wakeups.add(handle, WorkflowIds.rollout(grant.rollout()), host);
    Event.ofHost(
            EventKind.HostQuarantined,
            grant.rollout(),
            host,
            Map.of("grant", grant.id(), "reason", reason))
        .append(handle);
  }
}
