package dev.drydock.orchestrator.activity;

import dev.drydock.lock.core.HoldOwner;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.orchestrator.batch.EndWriter;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.ImpoundStore;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.platform.store.Sql;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Takes a batch away from its workflow. Claims are barred first. Once the hosts are quarantined
 * they leave the batch. What a consumer has begun there is unknown, so nothing is undone. The
 * workflow finds no host left and ends. Thread-safe.
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
          GrantRow.lock(handle, grantId);
          Sql.update(
              handle,
              "UPDATE grants SET abort = true WHERE id = :id AND state IN ('proposed',"
                  + " 'granted')",
              Map.of("id", grantId));
          cancelAll(handle, grantId);
          return true;
        });
  }

  @Override
  public void broken(String grantId, String reason) {
    transactor.call(
        handle -> {
          GrantRow grant = GrantRow.lock(handle, grantId);
          // Some may have been published between the bar and the quarantine.
          cancelAll(handle, grantId);
          EndWriter ends = new EndWriter(handle, grant);
          BatchHosts.active(handle, grantId).forEach(host -> ends.quarantined(host, reason));
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

  private static void cancelAll(Handle handle, String grantId) {
    Sql.update(
        handle,
        """
        UPDATE jobs SET state = 'Cancelled', ended_at = clock_timestamp()
        WHERE grant_id = :grant AND state = 'Pending'
        """,
        Map.of("grant", grantId));
  }
}
