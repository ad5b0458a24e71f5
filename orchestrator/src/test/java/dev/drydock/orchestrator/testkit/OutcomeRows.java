package dev.drydock.orchestrator.testkit;

import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.store.WorkflowIds;

/**
 * What rows say of batches, in a few words, and rows as they are after some time or after somebody
 * else changed them.
 *
 * @param fleet whose rows they are
 */
public record OutcomeRows(Fleet fleet) {

  /** Every host of the fleet with its state, such as {@code a1 Upgraded, a2 Pending}. */
  public String hosts() {
    return fleet.value(
        "SELECT string_agg(host || ' ' || state, ', ' ORDER BY host) FROM host_upgrades");
  }

  /** The state and the reason of a host, such as {@code Pending: too few up}. */
  public String host(String host) {
    return fleet.value(
        "SELECT state || ': ' || reason FROM host_upgrades WHERE host = '" + host + "'");
  }

  /** The step a host is at. */
  public String step(String host) {
    return fleet.value("SELECT step FROM host_upgrades WHERE host = '" + host + "'");
  }

  /** What the inventory says is the release of a host. */
  public String release(String host) {
    return fleet.value(
        "SELECT COALESCE(release, 'unknown') FROM hosts WHERE name = '" + host + "'");
  }

  /** The inventory says from now on that the host is on a release. */
  public void seemsOn(String host, String release) {
    fleet.execute("UPDATE hosts SET release = '%s' WHERE name = '%s'".formatted(release, host));
  }

  /** How a grant ended. */
  public String end(String grant) {
    return fleet.value("SELECT end_state FROM grants WHERE id = '" + grant + "'");
  }

  /** Whether the workflow of the batch is to be woken. */
  public boolean woken(BatchRun run) {
    return isTrue(
        "SELECT count(*) > 0 FROM wakeups WHERE workflow = '"
            + WorkflowIds.batch(run.grant())
            + "'");
  }

  /** Whether the rollout hears at once that the grant ended; otherwise it does in a moment. */
  public boolean toldAtOnce(String grant) {
    return isTrue(
        """
        SELECT w.due_at <= g.ended_at
        FROM grants g
        JOIN wakeups w ON w.cause = g.id AND w.workflow = 'rollout/' || g.rollout
        WHERE g.id = '%s'
        """
            .formatted(grant));
  }

  private boolean isTrue(String query) {
    return fleet.value(query).equals("t");
  }

  /** How often the feed tells an event of a kind. */
  public String told(String kind) {
    return fleet.value("SELECT count(*) FROM events WHERE kind = '" + kind + "'");
  }

  /** Whether each question about a rung was a reminder, such as {@code false true}. */
  public String reminders() {
    return fleet.value(
        "SELECT string_agg(data->>'again', ' ' ORDER BY id) FROM events"
            + " WHERE kind = 'RemediationAsked'");
  }

  /** The jobs of a grant in their order, such as {@code Update Done, Diagnose Pending}. */
  public String rounds(String grant) {
    return fleet.value(
        """
        SELECT string_agg(COALESCE(spec->>'repair', step) || ' ' || state, ', ' ORDER BY round, host)
        FROM jobs WHERE grant_id = '%s'
        """
            .formatted(grant));
  }

  /** The jobs of a step that nobody has fail, without a consumer. */
  public void failed(String grant, String step) {
    fleet.execute(
        """
        UPDATE jobs SET state = 'Failed', attempt = 1, ended_at = clock_timestamp()
        WHERE grant_id = '%s' AND step = '%s' AND state = 'Pending'
        """
            .formatted(grant, step));
  }

  /** The verdicts of the open checks of a grant. */
  public String openChecks(String grant) {
    return fleet.value(
        "SELECT string_agg(state, ' ' ORDER BY round) FROM checks WHERE kind = 'open' AND grant_id"
            + " = '"
            + grant
            + "'");
  }

  /** How many hooks are written down. */
  public String hooks() {
    return fleet.value("SELECT count(*) FROM batch_hooks");
  }

  /** What the jobs that take back hooks are told that these had kept. */
  public String kept() {
    return fleet.value(
        "SELECT string_agg(COALESCE(spec->'hook'->>'state', 'none'), ', ' ORDER BY id) FROM jobs"
            + " WHERE step = 'Unhook'");
  }

  /** Whether a drain was found slow, and what people are told of it. */
  public String lateDrain(String job) {
    return fleet.value(
        "SELECT pace || ' ' || says FROM late_drains WHERE '" + job + "' = ANY(jobs)");
  }

  /** What was left to drain has not become less for so long. */
  public void leftNoLessFor(String job, int seconds) {
    fleet.execute(
        "UPDATE jobs SET left_fell_at = clock_timestamp() - interval '%d s' WHERE id = '%s'"
            .formatted(seconds, job));
  }

  /** What people decided about the hosts of a batch that failed. */
  public String decision() {
    return fleet.value("SELECT decision FROM blocked_batches");
  }

  /** Every remediation, such as {@code a1 Update Resumed}. */
  public String remediations() {
    return fleet.value(
        "SELECT string_agg(host || ' ' || step || ' ' || state, ', ') FROM remediations");
  }

  /** What was tried, in order. */
  public String tried() {
    return fleet.value("SELECT string_agg(action, ' ' ORDER BY number) FROM remediation_steps");
  }

  /** People are to be reminded of what they were asked to approve. */
  public void approvalsAreDue() {
    fleet.execute("UPDATE repair_approvals SET remind_at = clock_timestamp()");
  }

  /** Nobody is waited for any more who was asked to approve something. */
  public void approvalsExpire() {
    fleet.execute("UPDATE repair_approvals SET expires_at = clock_timestamp()");
  }

  /** Nobody is waited for any more who was asked about hosts that were not drained in time. */
  public void drainQuestionsExpire() {
    fleet.execute("UPDATE late_drains SET expires_at = clock_timestamp()");
  }

  /** Who answered, and why. */
  public String approval() {
    return fleet.value("SELECT answered_by || ': ' || reason FROM repair_approvals");
  }

  /** The run of a batch is lost: the next one reclaims it. */
  public void lost(String grant) {
    fleet.execute("UPDATE grants SET reclaim = 'its run was lost' WHERE id = '" + grant + "'");
  }
}
