package dev.drydock.orchestrator.store;

import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * A grant as its row says, as far as its lock, the board and questions need it.
 *
 * @param state proposed, granted, ended or void
 * @param run number of the workflow run that may publish, claim and end
 * @param reclaim why its runs only read its hosts and bring them back, once a run of it was lost
 * @param undo the end state it goes back to, once it goes back
 */
public record GrantRow(
    String id,
    String rollout,
    List<String> hosts,
    String state,
    long epoch,
    long holdRevision,
    int run,
    boolean abort,
    Optional<String> reclaim,
    Optional<String> undo,
    Optional<String> endState) {

  private static final String COLUMNS =
      """
      SELECT id, rollout, hosts, state, epoch, COALESCE(hold_revision, 0) AS hold_revision, run,
             abort, reclaim, undo, end_state
      FROM grants WHERE id = \
      """;

  public GrantRow {
    hosts = List.copyOf(hosts);
  }

  /** Reads it without a lock. */
  public static Optional<GrantRow> find(Handle handle, String id) {
    return Sql.find(handle, GrantRow.class, COLUMNS + ":id", Map.of("id", id));
  }

  /**
   * Reads it and keeps it from changing until the transaction ends.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static GrantRow lock(Handle handle, String id) {
    return Sql.find(handle, GrantRow.class, COLUMNS + ":id FOR NO KEY UPDATE", Map.of("id", id))
        .orElseThrow(() -> new IllegalArgumentException("there is no grant " + id));
  }

  /** The same for the grant of a job; empty if there is no such job. */
  public static Optional<GrantRow> lockOf(Handle handle, String job) {
    return Sql.find(
        handle,
        GrantRow.class,
        COLUMNS + "(SELECT grant_id FROM jobs WHERE id = :job) FOR NO KEY UPDATE",
        Map.of("job", job));
  }

  /**
   * Itself, if the run may act on it.
   *
   * @throws StaleRunException if the grant is not alive or belongs to another run
   */
  public GrantRow requireRun(int acting) {
    if (!alive()) {
      throw new StaleRunException("grant " + id + " is " + state + ", not granted");
    }
    if (run != acting) {
      throw new StaleRunException(
          "run " + acting + " of grant " + id + " was followed by run " + run);
    }
    return this;
  }

  /** Whether its hold stands and its batch may work. */
  public boolean alive() {
    return state.equals("granted");
  }

  /** Whether this run recorded its end. */
  public boolean endedBy(int someRun) {
    return run == someRun && endState.isPresent();
  }
}
