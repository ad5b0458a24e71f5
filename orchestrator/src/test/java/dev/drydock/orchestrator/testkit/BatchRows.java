package dev.drydock.orchestrator.testkit;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.control.Command;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;

/**
 * The rows of batches under names: what tests read of them, and what they make of them that takes
 * hours or a fault otherwise. Each host is in one batch only.
 */
public final class BatchRows {
  private static final Principal PEOPLE = new Principal("p", "sre", Role.ADMIN, Set.of());
  private static final List<JobStep> STEPS =
      List.of(JobStep.Drain, JobStep.Update, JobStep.Health, JobStep.Recover);

  private final Jdbi jdbi;
  private final Fleet fleet;

  public BatchRows(Jdbi jdbi, Fleet fleet) {
    this.jdbi = jdbi;
    this.fleet = fleet;
  }

  /** Drives a new batch of one host until this step of it is offered; answers the job. */
  public String reach(String grant, JobStep wanted) {
    fleet.opened(grant);
    for (JobStep step : STEPS) {
      fleet.drive(grant);
      if (step == wanted) {
        return job(grant, step);
      }
      fleet.done(grant, step.name());
    }
    throw new IllegalArgumentException(wanted + " is no step after the open check");
  }

  /** The last job of a step of the batch. */
  public String job(String grant, JobStep step) {
    return fleet.value(
        "SELECT id FROM jobs WHERE grant_id = '%s' AND step = '%s' ORDER BY round DESC LIMIT 1"
            .formatted(grant, step));
  }

  /** The last job of a step on a host. */
  public String job(String grant, JobStep step, String host) {
    return fleet.value(
        """
        SELECT id FROM jobs WHERE grant_id = '%s' AND step = '%s' AND host = '%s'
        ORDER BY round DESC LIMIT 1
        """
            .formatted(grant, step, host));
  }

  /** How many jobs of a step the batch had. */
  public int jobs(String grant, JobStep step) {
    return Integer.parseInt(
        fleet.value(
            "SELECT count(*) FROM jobs WHERE grant_id = '%s' AND step = '%s'"
                .formatted(grant, step)));
  }

  public String state(String job) {
    return ofJob(job, "state");
  }

  public int attempt(String job) {
    return Integer.parseInt(ofJob(job, "attempt"));
  }

  /** What the job says under a key. */
  public String says(String job, String key) {
    return ofJob(job, "COALESCE(spec->>'" + key + "', 'none')");
  }

  /** How many seconds a job has from its beginning. */
  public int seconds(String job) {
    return Integer.parseInt(ofJob(job, "round(extract(epoch FROM deadline - created_at))"));
  }

  /** The facts of its result. */
  public String reported(String job) {
    return ofJob(job, "result->'facts'");
  }

  public Instant deadline(String job) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT deadline FROM jobs WHERE id = :id")
                .bind("id", job)
                .mapTo(Instant.class)
                .one());
  }

  private String ofJob(String job, String what) {
    return fleet.value("SELECT " + what + " FROM jobs WHERE id = '" + job + "'");
  }

  private void change(String job, String how) {
    fleet.execute("UPDATE jobs SET " + how + " WHERE id = '" + job + "'");
  }

  /** As if the lease had ended that long ago. */
  public void leaseEnded(String job, int seconds) {
    change(job, "lease_until = clock_timestamp() - interval '" + seconds + " s'");
  }

  /** As if so much of its time were left. */
  public void left(String job, int seconds) {
    change(job, "deadline = clock_timestamp() + interval '" + seconds + " s'");
  }

  /** As if its consumer had fallen silent, and the board had given it back. */
  public void givenBack(String job) {
    change(job, "state = 'Pending', claim = NULL, lease_until = NULL");
  }

  /** As if nobody had done it in time, after so many attempts. */
  public void expired(String job, int attempts) {
    change(job, "state = 'Expired', attempt = " + attempts + ", ended_at = clock_timestamp()");
  }

  /** As if the time had come that it waits for. */
  public void due(String job) {
    change(job, "not_before = clock_timestamp()");
  }

  /** To where the batch of one host has come, or to which end it goes back, and why. */
  public String way(String grant) {
    return fleet.value(
        """
        SELECT COALESCE(g.undo || ': ' || g.undo_reason, u.step)
        FROM grants g JOIN host_upgrades u ON u.grant_id = g.id WHERE g.id = '%s' LIMIT 1
        """
            .formatted(grant));
  }

  /** How the batch ended. */
  public String end(String grant) {
    return ofGrant(grant, "end_state");
  }

  public String holdRevision(String grant) {
    return ofGrant(grant, "hold_revision");
  }

  public Instant openUntil(String grant) {
    return Instant.ofEpochMilli(
        Long.parseLong(ofGrant(grant, "round(extract(epoch FROM open_until) * 1000)")));
  }

  private String ofGrant(String grant, String what) {
    return fleet.value("SELECT " + what + " FROM grants WHERE id = '" + grant + "'");
  }

  private void changeGrant(String grant, String how) {
    fleet.execute("UPDATE grants SET " + how + " WHERE id = '" + grant + "'");
  }

  /** As if its open check had been decided that long ago. */
  public void opened(String grant, int secondsAgo) {
    changeGrant(grant, "opened_at = clock_timestamp() - interval '" + secondsAgo + " s'");
  }

  /** As if its open check rested on an approval that ended now. */
  public void approvalEnded(String grant) {
    changeGrant(grant, "open_until = clock_timestamp()");
  }

  /** As if it had been told to go back before anything was decided about that. */
  public void aborted(String grant) {
    changeGrant(grant, "abort = true");
  }

  /** As if its run had been lost. */
  public void lost(String grant) {
    changeGrant(grant, "reclaim = 'lost'");
  }

  /** As if all batches had been granted that long ago. */
  public void grantedBefore(int seconds) {
    fleet.execute(
        "UPDATE grants SET created_at = clock_timestamp() - interval '%d s'".formatted(seconds));
  }

  /** People abort the rollout of a host that was granted alone, and its batch goes back. */
  public void goesBack(String host, String grant) {
    new RolloutControl(jdbi, fleet.onward).command(PEOPLE, "r-" + host, Command.ABORT, "test");
    fleet.drive(grant);
  }

  /** As if the open checks of the grant had been asked for that long ago. */
  public void asked(String grant, int secondsAgo) {
    fleet.execute(
        """
        UPDATE checks SET created_at = clock_timestamp() - interval '%d s'
        WHERE grant_id = '%s' AND state = 'requested'
        """
            .formatted(secondsAgo, grant));
  }

  /** How often the open check was asked for. */
  public int openChecks(String grant) {
    return Integer.parseInt(
        fleet.value(
            "SELECT max(round) FROM checks WHERE kind = 'open' AND grant_id = '" + grant + "'"));
  }

  /** What later jobs of the host are told. */
  public String facts(String host) {
    return fleet.value("SELECT facts FROM host_upgrades WHERE host = '" + host + "'");
  }

  /** What a hook handed over. */
  public String handedOver(String grant, int number) {
    return fleet.value(
        "SELECT state FROM batch_hooks WHERE grant_id = '%s' AND number = %d"
            .formatted(grant, number));
  }

  /** How often workflows were woken because of this. */
  public int wakeUps(String cause) {
    return Integer.parseInt(
        fleet.value("SELECT count(*) FROM wakeups WHERE cause = '" + cause + "'"));
  }

  /** As if the rollout had come out of another. */
  public void origin(String rollout, String how, String of) {
    fleet.execute(
        "UPDATE rollouts SET origin = '%s', origin_rollout = '%s' WHERE id = '%s'"
            .formatted(how, of, rollout));
  }

  /** As if the rollout upgraded hosts in this way. */
  public void mode(String rollout, String mode) {
    fleet.execute("UPDATE rollouts SET mode = '" + mode + "' WHERE id = '" + rollout + "'");
  }
}
