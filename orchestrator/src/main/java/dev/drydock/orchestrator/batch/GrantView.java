package dev.drydock.orchestrator.batch;

import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.Grant.TurnedBack;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.NamedConstant;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.store.ReasonParts;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.StatementContext;

/**
 * A grant with its rollout, and which other rows it has.
 *
 * @param now by the clock of the database
 * @param mode how hosts of the rollout come to the release
 * @param aborted by whom and why people aborted the rollout
 * @param quarantined whether hosts of it were quarantined
 * @param toDecide whether anything was to be decided about hosts of it
 * @param remediated whether a remediation of it was begun
 */
record GrantView(
    Instant now,
    Grant grant,
    String mode,
    Optional<String> aborted,
    boolean quarantined,
    boolean toDecide,
    boolean remediated) {

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException if there is none
   */
  static GrantView read(Handle handle, String grant) {
    return handle
        .createQuery(
            """
            SELECT g.id, g.rollout, g.run, g.state, g.stage, g.abort, g.reclaim, g.blind, g.hooked,
                   COALESCE(g.on_host_failure, 'Abort') AS on_host_failure, g.undo,
                   COALESCE(g.undo_reason, '') AS undo_reason, r.mode,
                   r.state = 'Aborting' AS aborting, r.state_by, r.state_reason,
                   clock_timestamp() AS now,
                   EXISTS (SELECT FROM host_upgrades u
                           WHERE u.grant_id = g.id AND u.state = 'Quarantined') AS quarantined,
                   EXISTS (SELECT FROM decisions d WHERE d.grant_id = g.id) AS to_decide,
                   EXISTS (SELECT FROM remediations m WHERE m.grant_id = g.id) AS remediated
            FROM grants g JOIN rollouts r ON r.id = g.rollout WHERE g.id = :grant
            """)
        .bind("grant", grant)
        .map(GrantView::of)
        .findOne()
        .orElseThrow(() -> new IllegalArgumentException("there is no grant " + grant));
  }

  private static GrantView of(ResultSet row, StatementContext context) throws SQLException {
    return new GrantView(
        ColumnReader.time(row, "now"),
        grant(row),
        row.getString("mode"),
        row.getBoolean("aborting")
            ? Optional.of(
                ReasonParts.by("aborted", row.getString("state_by"), row.getString("state_reason")))
            : Optional.empty(),
        row.getBoolean("quarantined"),
        row.getBoolean("to_decide"),
        row.getBoolean("remediated"));
  }

  private static Grant grant(ResultSet row) throws SQLException {
    String reason = row.getString("undo_reason");
    return new Grant(
        row.getString("id"),
        row.getString("rollout"),
        row.getInt("run"),
        row.getString("state").equals("granted"),
        NamedConstant.of(GrantStage.class, row.getString("stage")),
        row.getBoolean("abort"),
        ColumnReader.text(row, "reclaim"),
        row.getBoolean("blind"),
        Optional.ofNullable(row.getObject("hooked", Boolean.class)),
        OnHostFailure.of(row.getString("on_host_failure")),
        ColumnReader.text(row, "undo")
            .map(word -> new TurnedBack(NamedConstant.of(RollbackTarget.class, word), reason)));
  }
}
