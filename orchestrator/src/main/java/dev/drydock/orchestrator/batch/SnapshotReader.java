package dev.drydock.orchestrator.batch;

import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.core.model.RunningInstance;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;

/**
 * Reads everything that a decision about a batch is made from.
 *
 * <p>Property: the number of statements depends neither on how many hosts the batch has nor on what
 * ended before. A batch on its way forward without hooks, failures and repairs needs four. Safe for
 * use by many threads.
 */
public final class SnapshotReader {
  private static final RowMapper<RunningInstance> RUNNING =
      (row, _) ->
          new RunningInstance(
              row.getString("id"), row.getString("application"), row.getString("host"));

  private final RepairLimits limits;

  /**
   * A reader.
   *
   * @param limits on all remediations together
   */
  public SnapshotReader(RepairLimits limits) {
    this.limits = limits;
  }

  /**
   * Reads a batch. The caller holds the lock of the row of its grant.
   *
   * @param policies read before the transaction began
   * @throws IllegalArgumentException if there is no such grant
   */
  public BatchSnapshot read(Handle handle, String grantId, PoliciesInForce policies) {
    GrantView view = GrantView.read(handle, grantId);
    Rows rows = new Rows(handle, grantId);
    List<BatchHost> hosts = rows.all(HostMapper.SQL, new HostMapper(policies));
    List<BatchJob> jobs = rows.all(JobMapper.SQL, new JobMapper());
    List<Check> checks = rows.all(CheckMapper.SQL, new CheckMapper());
    List<BatchHook> hooks = rows.only(view.grant().runsHooks(), HookMapper.SQL, new HookMapper());
    List<HookPolicy> wanted = view.grant().hooked().isEmpty() ? policies.hooks() : List.of();
    List<Decision> decisions = rows.only(view.toDecide(), DecisionMapper.SQL, new DecisionMapper());
    List<Remediation> remediations =
        rows.only(view.remediated(), RemediationMapper.SQL, new RemediationMapper());
    return new BatchSnapshot(
        view.now(),
        view.grant(),
        view.mode(),
        view.aborted(),
        hosts,
        view.quarantined(),
        jobs,
        checks,
        hooks,
        wanted,
        wanted.isEmpty() ? List.of() : running(rows),
        decisions,
        remediations,
        limits,
        RepairLoads.read(handle, view.grant(), remediations, jobs, limits.coolDown()));
  }

  private static List<RunningInstance> running(Rows rows) {
    return rows.all(
        """
        SELECT i.id, i.application, i.host
        FROM host_upgrades u JOIN instances i ON i.host = u.host AND i.vanished_at IS NULL
        WHERE u.grant_id = :grant AND u.state = 'InProgress' ORDER BY i.id
        """,
        RUNNING);
  }

  /** Rows of one grant. */
  private record Rows(Handle handle, String grant) {

    <T> List<T> all(String sql, RowMapper<T> mapper) {
      return handle.createQuery(sql).bind("grant", grant).map(mapper).list();
    }

    /** The rows, where it is known that the grant has any. */
    <T> List<T> only(boolean any, String sql, RowMapper<T> mapper) {
      return any ? all(sql, mapper) : List.of();
    }
  }
}
