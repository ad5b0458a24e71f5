package dev.drydock.orchestrator.store;

import java.util.List;
import org.jdbi.v3.core.Jdbi;

/**
 * Grants that somebody should look after. Safe for use by many threads; times are the database's.
 */
public final class GrantStore {
  private static final int AT_ONCE = 500;

  private final Jdbi jdbi;

  public GrantStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Proposed so long ago that their grantor may have died between its two stores. */
  public List<String> stuckProposals() {
    return ids("state = 'proposed' AND created_at < clock_timestamp() - interval '15 s'");
  }

  /** Granted and not ended: each should have a workflow that runs. */
  public List<String> alive() {
    return ids("state = 'granted'");
  }

  /** Ended, but not known to be without a hold. */
  public List<String> endedWithHold() {
    return ids(
        "state = 'ended' AND hold_ended_at IS NULL"
            + " AND ended_at < clock_timestamp() - interval '5 s'");
  }

  private List<String> ids(String condition) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT id FROM grants WHERE "
                        + condition
                        + " ORDER BY created_at LIMIT :limit")
                .bind("limit", AT_ONCE)
                .mapTo(String.class)
                .list());
  }
}
