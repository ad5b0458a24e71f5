package dev.drydock.orchestrator.testkit;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.control.RolloutCommand;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;

/** What is so of a batch and its jobs, in words. Each host is in one batch only. */
public final class BatchRows {
  private static final Principal PEOPLE = new Principal("p", "sre", Role.ADMIN, Set.of());
  private static final List<JobStep> STEPS =
      List.of(JobStep.Drain, JobStep.Update, JobStep.Health, JobStep.Recover);

  private final Jdbi jdbi;
  private final Fleet fleet;
  private final Rows rows;

  public BatchRows(Jdbi jdbi, Fleet fleet) {
    this.jdbi = jdbi;
    this.fleet = fleet;
    this.rows = fleet.rows;
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
    return last(rows.jobs(grant).stream().filter(job -> job.step() == step).toList());
  }

  /** The last job of a step on a host. */
  public String job(String grant, JobStep step, String host) {
    return last(rows.jobs(step, host).stream().filter(job -> job.grant().equals(grant)).toList());
  }

  private static String last(List<Row.Job> jobs) {
    return jobs.stream().max(Comparator.comparing(Row.Job::round)).map(Row.Job::id).orElse("none");
  }

  /** How many jobs of a step the batch had. */
  public int jobs(String grant, JobStep step) {
    return (int) rows.jobs(grant).stream().filter(job -> job.step() == step).count();
  }

  public String state(String job) {
    return rows.job(job).state().name();
  }

  public int attempt(String job) {
    return rows.job(job).attempt();
  }

  /** What the job says under a key. */
  public String says(String job, String key) {
    return rows.job(job).says(key);
  }

  /** How many seconds a job has from its beginning. */
  public int seconds(String job) {
    Row.Job row = rows.job(job);
    return Math.toIntExact(
        Math.round(Duration.between(row.createdAt(), row.deadline()).toMillis() / 1000.0));
  }

  /** The facts of its result. */
  public String reported(String job) {
    return String.valueOf(rows.job(job).result().get("facts"));
  }

  public Instant deadline(String job) {
    return rows.job(job).deadline();
  }

  /** To where the batch of one host has come, or to which end it goes back, and why. */
  public String way(String grant) {
    String back = rows.batch(grant).back();
    return back.isEmpty()
        ? rows.hosts().stream()
            .filter(host -> host.grant().equals(grant))
            .findFirst()
            .orElseThrow()
            .step()
        : back;
  }

  public Instant openUntil(String grant) {
    return rows.batch(grant).openUntil().orElseThrow();
  }

  /** People abort the rollout of a host that was granted alone, and its batch goes back. */
  public void goesBack(String host, String grant) {
    new RolloutControl(jdbi, fleet.onward)
        .command(PEOPLE, "r-" + host, RolloutCommand.ABORT, "test");
    fleet.drive(grant);
  }

  /** How often the open check was asked for. */
  public int openChecks(String grant) {
    return (int) rows.checks("open").stream().filter(check -> check.grant().equals(grant)).count();
  }

  /** What a hook handed over. */
  public String handedOver(String grant, int number) {
    return rows.hooks().stream()
        .filter(hook -> hook.grant().equals(grant) && hook.number() == number)
        .findFirst()
        .orElseThrow()
        .state();
  }

  /** How often workflows were woken because of this. */
  public int wakeUps(String cause) {
    return (int) rows.wakeUps().stream().filter(one -> one.cause().equals(cause)).count();
  }
}
