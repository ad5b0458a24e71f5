package dev.drydock.orchestrator.testkit;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.api.RolloutState;
import dev.drydock.proto.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.RowMapper;

/**
 * What the tables of rollouts and their batches say: a value for each row, in the order in which
 * they were written. Tests ask these values, and no other test reads those tables.
 */
public final class Rows {
  private final Jdbi jdbi;

  public Rows(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** All hosts of all rollouts. */
  public List<Row.Host> hosts() {
    return hosts("%", "%");
  }

  private List<Row.Host> hosts(String rollout, String name) {
    return all(
        """
        SELECT *, CAST(xmin AS text) AS version FROM host_upgrades
        WHERE rollout LIKE ? AND host LIKE ? ORDER BY rollout, position
        """,
        (row, _) ->
            new Row.Host(
                row.getString("rollout"),
                row.getString("host"),
                HostUpgradeState.valueOf(row.getString("state")),
                text(row, "reason"),
                text(row, "step"),
                text(row, "grant_id"),
                row.getInt("batch"),
                texts(row, "waits_for"),
                time(row, "not_before"),
                number(row, "seniority_revision"),
                row.getBoolean("read_first"),
                text(row, "facts"),
                row.getString("version")),
        rollout,
        name);
  }

  /** A host that is in one rollout. */
  public Row.Host host(String name) {
    return only(hosts("%", name));
  }

  public Row.Host host(String rollout, String name) {
    return only(hosts(rollout, name));
  }

  /** All jobs there ever were. */
  public List<Row.Job> jobs() {
    return jobs("%", "%");
  }

  private List<Row.Job> jobs(String grant, String id) {
    return all(
        "SELECT * FROM jobs WHERE grant_id LIKE ? AND id LIKE ? ORDER BY created_at, round, id",
        (row, _) ->
            new Row.Job(
                row.getString("id"),
                row.getString("grant_id"),
                JobStep.valueOf(row.getString("step")),
                row.getString("host"),
                row.getInt("round"),
                JobState.valueOf(row.getString("state")),
                row.getInt("attempt"),
                number(row, "claim_mark"),
                number(row, "hook").map(Long::intValue),
                row.getString("topic"),
                tree(row, "spec"),
                tree(row, "result"),
                row.getTimestamp("created_at").toInstant(),
                row.getTimestamp("deadline").toInstant(),
                time(row, "ended_at")),
        grant,
        id);
  }

  /** The jobs of a batch. */
  public List<Row.Job> jobs(String grant) {
    return jobs(grant, "%");
  }

  /** The jobs of a step on a host. */
  public List<Row.Job> jobs(JobStep step, String host) {
    return jobs().stream().filter(job -> job.step() == step && job.host().equals(host)).toList();
  }

  public Row.Job job(String id) {
    return only(jobs("%", id));
  }

  /** The jobs of a step of a batch that nobody has. */
  public List<Row.Job> waiting(String grant, JobStep step) {
    return waiting(grant).stream().filter(job -> job.step() == step).toList();
  }

  /** The jobs of a batch that nobody has. */
  public List<Row.Job> waiting(String grant) {
    return jobs(grant).stream().filter(job -> job.state() == JobState.Pending).toList();
  }

  /** Whether a job of the step waits for somebody who does it on the host. */
  public boolean waits(JobStep step, String host) {
    return jobs(step, host).stream().anyMatch(job -> job.state() == JobState.Pending);
  }

  public List<Row.Batch> batches() {
    return all(
        "SELECT *, undo || ': ' || undo_reason AS back FROM grants ORDER BY created_at, id",
        (row, _) ->
            new Row.Batch(
                row.getString("id"),
                row.getString("rollout"),
                texts(row, "hosts"),
                row.getString("state"),
                text(row, "stage"),
                text(row, "end_state"),
                row.getInt("run"),
                row.getBoolean("abort"),
                row.getString("reclaim") != null,
                row.getBoolean("blind"),
                text(row, "back"),
                number(row, "seniority_revision"),
                text(row, "hold_revision"),
                time(row, "opened_at"),
                time(row, "open_until"),
                time(row, "ended_at"),
                time(row, "hold_ended_at")));
  }

  public Row.Batch batch(String grant) {
    return only(batches().stream().filter(batch -> batch.id().equals(grant)).toList());
  }

  /** The checks of a kind, over all batches. */
  public List<Row.Check> checks(String kind) {
    return all(
            "SELECT *, evidence->>'reason' AS reason FROM checks ORDER BY grant_id, kind, round",
            (row, _) ->
                new Row.Check(
                    row.getString("grant_id"),
                    row.getString("kind"),
                    row.getInt("round"),
                    row.getString("state"),
                    text(row, "reason")))
        .stream()
        .filter(check -> check.kind().equals(kind))
        .toList();
  }

  /** What the feed tells of a kind. */
  public List<Row.Told> told(String kind) {
    return all(
            "SELECT kind, rollout, host, data FROM events ORDER BY id",
            (row, _) ->
                new Row.Told(
                    row.getString("kind"),
                    text(row, "rollout"),
                    text(row, "host"),
                    tree(row, "data")))
        .stream()
        .filter(told -> told.kind().equals(kind))
        .toList();
  }

  public List<Row.Rollout> rollouts() {
    return all(
        "SELECT * FROM rollouts ORDER BY number",
        (row, _) ->
            new Row.Rollout(
                row.getString("id"),
                RolloutState.valueOf(row.getString("state")),
                text(row, "state_by"),
                text(row, "state_reason"),
                time(row, "counted_from")));
  }

  public Row.Rollout rollout(String id) {
    return only(rollouts().stream().filter(rollout -> rollout.id().equals(id)).toList());
  }

  public List<Row.WakeUp> wakeUps() {
    return all(
        "SELECT * FROM wakeups",
        (row, _) ->
            new Row.WakeUp(
                row.getString("workflow"),
                row.getString("cause"),
                row.getTimestamp("due_at").toInstant()));
  }

  public List<Row.Hook> hooks() {
    return all(
        "SELECT * FROM batch_hooks ORDER BY grant_id, number",
        (row, _) ->
            new Row.Hook(
                row.getString("grant_id"),
                row.getInt("number"),
                row.getString("name"),
                row.getString("target"),
                text(row, "state")));
  }

  public List<Row.Overdue> overdue() {
    return all(
        "SELECT * FROM overdue_phases ORDER BY host",
        (row, _) ->
            new Row.Overdue(
                row.getString("host"),
                row.getString("cause"),
                row.getTimestamp("over_at") != null));
  }

  public List<Row.Impound> impounds() {
    return all(
        "SELECT * FROM impounds ORDER BY host",
        (row, _) ->
            new Row.Impound(
                row.getString("lock_id"),
                row.getString("host"),
                row.getString("kind"),
                row.getTimestamp("done_at") != null));
  }

  public List<Row.Remediation> remediations() {
    return all(
        "SELECT * FROM remediations ORDER BY began_at, host",
        (row, _) ->
            new Row.Remediation(
                row.getString("host"),
                row.getString("step"),
                row.getString("state"),
                row.getBoolean("went_back")));
  }

  /** What was tried on hosts, in order. */
  public List<String> tried() {
    return all(
        "SELECT action FROM remediation_steps ORDER BY number", (row, _) -> row.getString(1));
  }

  /** What was to be decided, by policies or people. */
  public List<Row.Decision> decisions() {
    return all(
        "SELECT *, facts->>'pace' AS pace FROM decisions ORDER BY grant_id, number",
        (row, _) ->
            new Row.Decision(
                row.getString("id"),
                texts(row, "jobs"),
                text(row, "pace"),
                text(row, "says"),
                text(row, "answer"),
                text(row, "answered_by"),
                text(row, "answer_reason")));
  }

  /** Why cohorts of the rollout are halted. */
  public List<String> halts(String rollout) {
    return all(
        "SELECT says FROM cohort_halts WHERE rollout = ?", (row, _) -> row.getString(1), rollout);
  }

  /** How many policies let the rest of a rollout go on after its canaries. */
  public int gatesPassed() {
    return all("SELECT passed_at FROM canary_gates WHERE passed_at IS NOT NULL", (_, _) -> 1)
        .size();
  }

  /** Why a host waited, as it is kept for people who ask later. */
  public List<String> waitingReasons(String host) {
    return all(
        "SELECT reason FROM waiting_reasons WHERE host = ? ORDER BY at",
        (row, _) -> row.getString(1),
        host);
  }

  /** The last beat that a grant took. */
  public long lastBeat() {
    return all("SELECT COALESCE(max(beat), 0) FROM grants", (row, _) -> row.getLong(1)).getFirst();
  }

  /** Keeps a rollout as a proposal does, until the transaction ends. */
  public static void propose(Handle transaction, String rollout) {
    transaction.execute("SELECT FROM rollouts WHERE id = ? FOR SHARE", rollout);
  }

  /** The rollouts that a proposal would not wait for. */
  public List<String> freeRollouts() {
    return all("SELECT id FROM rollouts FOR SHARE SKIP LOCKED", (row, _) -> row.getString(1));
  }

  /** The hosts whose rows nobody keeps from being written. */
  public List<String> freeHosts() {
    // A connection of its own: who asks may be in a transaction.
    try (Handle other = jdbi.open()) {
      return other
          .select("SELECT host FROM host_upgrades FOR NO KEY UPDATE SKIP LOCKED")
          .mapTo(String.class)
          .list();
    }
  }

  private <T> List<T> all(String query, RowMapper<T> mapper, Object... arguments) {
    return jdbi.withHandle(handle -> handle.select(query, arguments).map(mapper).list());
  }

  private static <T> T only(List<T> found) {
    if (found.size() != 1) {
      throw new AssertionError("instead of one row there are " + found);
    }
    return found.getFirst();
  }

  private static String text(ResultSet row, String column) throws SQLException {
    return Objects.requireNonNullElse(row.getString(column), "");
  }

  private static List<String> texts(ResultSet row, String column) throws SQLException {
    return row.getArray(column) == null
        ? List.of()
        : List.of((String[]) row.getArray(column).getArray());
  }

  private static Optional<Long> number(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getObject(column)).map(value -> ((Number) value).longValue());
  }

  private static Optional<Instant> time(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getTimestamp(column)).map(Timestamp::toInstant);
  }

  private static Map<String, Object> tree(ResultSet row, String column) throws SQLException {
    String json = row.getString(column);
    return json == null ? Map.of() : Json.readTree(json);
  }
}
