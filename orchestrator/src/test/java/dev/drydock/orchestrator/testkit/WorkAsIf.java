package dev.drydock.orchestrator.testkit;

import dev.drydock.orchestrator.core.model.JobStatus;
import java.util.List;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/**
 * Jobs, checks and questions as they are after some time, after a fault, or after somebody did
 * them.
 */
public final class WorkAsIf {
  private final Jdbi jdbi;

  public WorkAsIf(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** As if all hosts had been asked by preflights that long before. */
  public void askedBefore(long seconds) {
    jdbi.useHandle(
        handle ->
            handle.execute(
                """
                UPDATE host_upgrades
                SET ready_until = ready_until - make_interval(secs => ?),
                    ask_at = ask_at - make_interval(secs => ?)
                """,
                seconds,
                seconds));
  }

  /** As if the lease of the job had ended that long ago. */
  public void leaseEnded(String job, int seconds) {
    change(job, "lease_until = clock_timestamp() - interval '" + seconds + " s'");
  }

  /** As if so much of its time were left. */
  public void left(String job, int seconds) {
    change(job, "deadline = clock_timestamp() + interval '" + seconds + " s'");
  }

  /** As if its consumer had fallen silent, and the board had given it back. */
  public void givenBack(String job) {
    change(job, "state = 'Pending', claim = NULL, consumer = NULL, lease_until = NULL");
  }

  /** As if nobody had done it in time, after so many attempts. */
  public void expired(String job, int attempts) {
    change(job, "state = 'Expired', attempt = " + attempts + ", ended_at = clock_timestamp()");
  }

  /** As if the time had come that it waits for. */
  public void due(String job) {
    change(job, "not_before = clock_timestamp()");
  }

  /** As if a consumer had had it once. */
  public void begun(String job) {
    change(job, "attempt = 1");
  }

  /** As if it were to read its host. */
  public void readsInstead(String job) {
    change(job, "step = 'Verify'");
  }

  /** As if nobody had it, whatever became of it. */
  public void waits(String job) {
    change(job, "state = 'Pending'");
  }

  /** As if it had been given out without facts. */
  public void withoutFacts(String job) {
    change(job, "spec = spec - 'facts'");
  }

  /** As if what was left to drain had not become less for so long. */
  public void leftNoLessFor(String job, int seconds) {
    change(job, "left_fell_at = clock_timestamp() - interval '" + seconds + " s'");
  }

  private void change(String job, String how) {
    execute("UPDATE jobs SET " + how + " WHERE id = '" + job + "'");
  }

  /** As if a consumer had had these jobs, and this had become of them now. */
  public void ended(List<Row.Job> jobs, JobStatus how) {
    ended(jobs, how, 1, "{}");
  }

  /**
   * The same.
   *
   * @param attempts how many consumers had them
   * @param facts what the last ones reported, as JSON
   */
  public void ended(List<Row.Job> jobs, JobStatus how, int attempts, String facts) {
    execute(
        """
        UPDATE jobs SET state = '%s', attempt = %d, ended_at = clock_timestamp(),
                        result = '{"facts": %s}'
        """
                .formatted(how.word(), attempts, facts)
            + of(jobs));
  }

  /** As if a consumer had claimed these jobs, which were published so many minutes ago. */
  public void claimed(List<Row.Job> jobs, int minutesAgo) {
    execute(
        """
        UPDATE jobs SET state = 'Claimed', attempt = 1, consumer = 'ada',
                        lease_until = clock_timestamp() + interval '10 s',
                        created_at = created_at - interval '%d min'
        """
                .formatted(minutesAgo)
            + of(jobs));
  }

  /** As if these jobs had taken so many seconds from the time they were published. */
  public void took(List<Row.Job> jobs, int seconds) {
    execute(
        "UPDATE jobs SET state = 'Done', ended_at = created_at + interval '"
            + seconds
            + " s'"
            + of(jobs));
  }

  /** As if the time of these jobs were over. */
  public void late(List<Row.Job> jobs) {
    execute("UPDATE jobs SET deadline = clock_timestamp()" + of(jobs));
  }

  private static String of(List<Row.Job> jobs) {
    return jobs.stream()
        .map(Row.Job::id)
        .collect(Collectors.joining("','", " WHERE id IN ('", "')"));
  }

  /** As if an hour had passed for all jobs. */
  public void anHourPasses() {
    execute(
        "UPDATE jobs SET created_at = created_at - interval '1 h', deadline = deadline - interval"
            + " '1 h'");
  }

  /** As if nothing had happened to any batch for that long. */
  public void nothingHappensFor(int minutes) {
    execute(
        """
        UPDATE grants SET created_at = created_at - interval '%1$d min';
        UPDATE jobs SET created_at = created_at - interval '%1$d min', ended_at = ended_at - interval '%1$d min';
        UPDATE checks SET decided_at = decided_at - interval '%1$d min';
        UPDATE remediations SET ended_at = ended_at - interval '%1$d min';
        UPDATE decisions SET answered_at = answered_at - interval '%1$d min'
        """
            .formatted(minutes));
  }

  /** As if a job were asked for once more, in another round. */
  public void publishedAgain(Row.Job job, int round) {
    execute(
        """
        INSERT INTO jobs (id, grant_id, step, host, round, run, topic, state, spec, deadline, created_at)
        SELECT grant_id || '.' || step || '.' || host || '.%1$d', grant_id, step, host, %1$d, run, topic,
               'Pending', spec, deadline, created_at
        FROM jobs WHERE id = '%2$s'
        """
            .formatted(round, job.id()));
  }

  /** As if the watchdog had told nobody of phases that take too long. */
  public void overdueForgotten() {
    execute("DELETE FROM overdue_phases");
  }

  /** As if a check of the batch were asked for. */
  public void asks(String grant, String kind) {
    execute(
        "INSERT INTO checks (grant_id, kind, round, run, state) VALUES ('%s', '%s', 1, 1, 'requested')"
            .formatted(grant, kind));
  }

  /** As if the checks of the batch that are asked for had been so that long ago. */
  public void asked(String grant, int secondsAgo) {
    execute(
        """
        UPDATE checks SET created_at = clock_timestamp() - interval '%d s'
        WHERE grant_id = '%s' AND state = 'requested'
        """
            .formatted(secondsAgo, grant));
  }

  /** As if people had been asked long enough ago to be reminded. */
  public void decisionsAreDue() {
    execute("UPDATE decisions SET remind_at = clock_timestamp()");
  }

  /** As if nobody were waited for any more who was asked. */
  public void decisionsExpire() {
    execute("UPDATE decisions SET expires_at = clock_timestamp()");
  }

  /** As if so much time had passed since people were asked. */
  public void decisionsOld(String time) {
    execute(
        "UPDATE decisions SET remind_at = remind_at - interval '%1$s', expires_at = expires_at - interval '%1$s'"
            .formatted(time));
  }

  /** As if the host of a job had been diagnosed, and nothing had helped it. */
  public void nothingHelped(Row.Job job, String signature) {
    execute(
        """
        INSERT INTO remediations (grant_id, host, step, reason, ladder, state, signature, ended_at)
        SELECT grant_id, host, 'Update', 'full', '{RetryStep}', 'Exhausted', '%2$s', clock_timestamp()
        FROM jobs WHERE id = '%1$s';
        INSERT INTO remediation_steps (grant_id, host, step, number, action, job)
        SELECT grant_id, host, 'Update', 1, 'Diagnose', id FROM jobs WHERE id = '%1$s'
        """
            .formatted(job.id(), signature));
  }

  /** As if a Drain had failed with a message, and its host were to be quarantined for that. */
  public void notDrained(Row.Job drain, String pace, String message) {
    execute(
        """
        UPDATE jobs SET state = 'Failed', attempt = 1, ended_at = clock_timestamp(),
               result = '{"message": "%3$s"}'
        WHERE id = '%1$s';
        INSERT INTO decisions
          (id, grant_id, number, kind, step, jobs, hosts, reasons, says, facts, asked, answer, answered_by,
           answered_at)
        SELECT grant_id || '.1', grant_id, 1, 'LateDrain', 'Drain', ARRAY[id], ARRAY[host],
               jsonb_build_object(host, ''), '', '{"onTimeout": "Quarantine", "pace": "%2$s"}', false,
               'Quarantine', 'policy', clock_timestamp()
        FROM jobs WHERE id = '%1$s'
        """
            .formatted(drain.id(), pace, message));
  }

  private void execute(String sql) {
    jdbi.useHandle(handle -> handle.execute(sql));
  }
}
