package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.store.GrantRow;
import org.jdbi.v3.core.Handle;

/** Whether a host of a reclaimed batch was read back, for who waits for that. */
public final class HostsRead {
  private HostsRead() {}

  /** Whether it is known what became of the host; of a grant that is none nothing is waited for. */
  public static boolean known(Handle handle, String grantId, String host) {
    return GrantRow.find(handle, grantId)
        .map(grant -> grant.undo().isPresent() || Reclaim.known(handle, grant, host))
        .orElse(true);
  }
}
