package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.batch.PoliciesInForce;
import dev.drydock.orchestrator.batch.SnapshotReader;
import dev.drydock.orchestrator.core.batch.LostRunRecovery;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.store.GrantRow;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Tells which hosts of a reclaimed batch are not read back yet. */
public final class HostReadback {
  private HostReadback() {}

  /**
   * Hosts of the grant whose state is still to be read. A grant that does not exist, has ended or
   * goes back has none.
   */
  public static Set<String> unknown(
      Handle handle, SnapshotReader reader, String grantId, PoliciesInForce policies) {
    boolean reads =
        GrantRow.find(handle, grantId)
            .filter(grant -> grant.alive() && grant.undo().isEmpty())
            .isPresent();
    if (!reads) {
      return Set.of();
    }
    BatchSnapshot batch = reader.read(handle, grantId, policies);
    return batch.hosts().stream()
        .map(BatchHost::name)
        .filter(host -> !LostRunRecovery.known(batch, host))
        .collect(Collectors.toSet());
  }
}
