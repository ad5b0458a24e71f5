package dev.drydock.orchestrator.batch;

import dev.drydock.orchestrator.core.model.Action;
import java.util.List;

/** What a decision left to be done once it is committed. */
sealed interface PendingEffects {

  /** Nothing now. */
  record Nothing(DriveResult look) implements PendingEffects {}

  /** Locks of hosts in etcd become quarantines. Then the hosts leave the batch. */
  record ToLock(List<Action.Quarantine> hosts) implements PendingEffects {
    public ToLock {
      hosts = List.copyOf(hosts);
    }
  }

  /** The end of the batch is to be written. */
  record ToEnd() implements PendingEffects {}
}
