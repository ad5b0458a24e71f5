package dev.drydock.orchestrator.store;

import dev.drydock.impact.core.OnHostFailure;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * A grant as its row says.
 *
 * @param state proposed, granted, ended or void
 * @param stage provisional, confirmed or open
 * @param run number of the workflow run that may publish, claim and end
 * @param reclaim why its runs only read its hosts and bring them back, once a run of it was lost
 * @param blind whether what rows say of its hosts is older than what was done there
 * @param hooked whether teams run hooks around its work; false until that was asked
 * @param forgotten whether rows were lost that would say whether hooks ran
 * @param onHostFailure what it does when one of its hosts fails
 * @param aside whether hosts of it were decided to be kept aside because they failed
 * @param undo the end state it goes back to, once it goes back
 */
public record GrantRow(
    String id,
    String rollout,
    List<String> hosts,
    String state,
    String stage,
    long epoch,
    long holdRevision,
    int run,
    boolean abort,
    Optional<String> reclaim,
    boolean blind,
    boolean hooked,
    boolean forgotten,
    OnHostFailure onHostFailure,
    boolean aside,
    Optional<String> undo,
    Optional<String> undoReason,
    Optional<String> endState) {

  private static final String COLUMNS =
      """
      SELECT id, rollout, hosts, state, stage, epoch, COALESCE(hold_revision, 0) AS hold_revision,
             run, abort, reclaim, blind, undo, undo_reason, end_state,
             COALESCE(hooked, false) AS hooked, blind AND hooked IS NULL AS forgotten,
             COALESCE(on_host_failure, 'Abort') AS on_host_failure,
             EXISTS (SELECT FROM blocked_batches b
                     WHERE b.grant_id = grants.id AND b.decision = 'GoOn') AS aside
      FROM grants WHERE id = \
      """;

  public GrantRow {
    hosts = List.copyOf(hosts);
  }

  /** Reads it without a lock. */
  public static Optional<GrantRow> find(Handle handle, String id) {
    return handle
        .createQuery(COLUMNS + ":id")
        .bind("id", id)
        .map((row, context) -> of(row))
        .findOne();
  }

  /**
   * Reads it and keeps it from changing until the transaction ends.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static GrantRow lock(Handle handle, String id) {
    return handle
        .createQuery(COLUMNS + ":id FOR NO KEY UPDATE")
        .bind("id", id)
        .map((row, context) -> of(row))
        .findOne()
        .orElseThrow(() -> new IllegalArgumentException("there is no grant " + id));
  }

  /** The same for the grant of a job; empty if there is no such job. */
  public static Optional<GrantRow> lockOf(Handle handle, String job) {
    return handle
        .createQuery(COLUMNS + "(SELECT grant_id FROM jobs WHERE id = :job) FOR NO KEY UPDATE")
        .bind("job", job)
        .map((row, context) -> of(row))
        .findOne();
  }

  /**
   * Locks the grant for the run that may act on it.
   *
   * @throws StaleRunException if the grant is not alive or belongs to another run
   */
  public static GrantRow lockForRun(Handle handle, String id, int run) {
    return lock(handle, id).requireRun(run);
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

  private static GrantRow of(ResultSet row) throws SQLException {
    return new GrantRow(
        row.getString("id"),
        row.getString("rollout"),
        List.of((String[]) row.getArray("hosts").getArray()),
        row.getString("state"),
        row.getString("stage"),
        row.getLong("epoch"),
        row.getLong("hold_revision"),
        row.getInt("run"),
        row.getBoolean("abort"),
        Optional.ofNullable(row.getString("reclaim")),
        row.getBoolean("blind"),
        row.getBoolean("hooked"),
        row.getBoolean("forgotten"),
        OnHostFailure.of(row.getString("on_host_failure")),
        row.getBoolean("aside"),
        Optional.ofNullable(row.getString("undo")),
        Optional.ofNullable(row.getString("undo_reason")),
        Optional.ofNullable(row.getString("end_state")));
  }
}
