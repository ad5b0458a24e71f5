package dev.drydock.orchestrator;

import dev.drydock.orchestrator.store.GrantStore;
import dev.drydock.orchestrator.store.GrantStore.Alive;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.orchestrator.temporal.Workflows;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives batches that nobody works a workflow (protocol P11). One that never began is started; one
 * whose run was lost, whatever became of it in Temporal, gets another that reclaims it: what that
 * run had on the way is not known. Confined to one thread; any number of processes may look.
 *
 * <ol>
 *   <li>Read the run number, then ask Temporal, then mark the row if it has that number still: so a
 *       run that another process started meanwhile is never taken for lost.
 *   <li>Start the workflow after the row says what it is for.
 * </ol>
 */
final class LostRuns {
  private static final Logger log = LoggerFactory.getLogger(LostRuns.class);

  private final GrantStore grants;
  private final Workflows workflows;
  private String last = "";

  LostRuns(GrantStore grants, Workflows workflows) {
    this.grants = grants;
    this.workflows = workflows;
  }

  /** The next grants to look at; all come round. */
  List<Alive> next() {
    List<Alive> next = grants.alive(last);
    last = next.isEmpty() ? "" : next.getLast().id();
    return next.isEmpty() ? grants.alive(last) : next;
  }

  /** Asks for the workflow of one grant. */
  void look(Alive grant) {
    Optional<String> gone = workflows.gone(WorkflowIds.batch(grant.id()));
    if (gone.isEmpty()) {
      return;
    }
    if (grant.run() == 0) {
      log.info("no workflow works grant {} yet, starting one", grant.id());
      workflows.startBatch(grant.id());
      return;
    }
    String why = "run " + grant.run() + " of its workflow was lost (" + gone.get() + ")";
    if (grants.reclaim(grant.id(), grant.run(), why)) {
      log.warn("grant {} is reclaimed: {}", grant.id(), why);
      workflows.startBatch(grant.id());
    }
  }
}
