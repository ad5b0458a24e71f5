package dev.drydock.orchestrator.testkit;

import static java.util.stream.Collectors.joining;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.store.WorkflowIds;
import java.util.Comparator;
import java.util.Optional;

/**
 * What became of batches, in a few words.
 *
 * @param fleet whose batches they are
 */
public record OutcomeRows(Fleet fleet) {

  /** Every host of the fleet with its state, such as {@code a1 Upgraded, a2 Pending}. */
  public String hosts() {
    return fleet.rows.hosts().stream()
        .sorted(Comparator.comparing(Row.Host::name))
        .map(host -> host.name() + " " + host.state())
        .collect(joining(", "));
  }

  /** The state and the reason of a host, such as {@code Pending: too few up}. */
  public String host(String host) {
    Row.Host row = fleet.rows.host(host);
    return row.state() + ": " + row.reason();
  }

  /** The step a host is at. */
  public String step(String host) {
    return fleet.rows.host(host).step();
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
    return fleet.rows.batch(grant).end();
  }

  /** Whether the workflow of the batch is to be woken. */
  public boolean woken(BatchRun run) {
    return fleet.rows.wakeUps().stream()
        .anyMatch(one -> one.workflow().equals(WorkflowIds.batch(run.grant())));
  }

  /** Whether the rollout hears at once that the grant ended; otherwise it does in a moment. */
  public boolean toldAtOnce(String grant) {
    Row.Batch batch = fleet.rows.batch(grant);
    return fleet.rows.wakeUps().stream()
        .filter(one -> one.cause().equals(grant))
        .filter(one -> one.workflow().equals("rollout/" + batch.rollout()))
        .anyMatch(one -> !one.due().isAfter(batch.endedAt().orElseThrow()));
  }

  /** How often the feed tells an event of a kind. */
  public int told(String kind) {
    return fleet.rows.told(kind).size();
  }

  /** Whether each question about a rung was a reminder, such as {@code false true}. */
  public String reminders() {
    return fleet.rows.told("DecisionAsked").stream()
        .map(told -> String.valueOf(told.data().get("again")))
        .collect(joining(" "));
  }

  /** The jobs of a grant in their order, such as {@code Update Done, Diagnose Pending}. */
  public String rounds(String grant) {
    return fleet.rows.jobs(grant).stream()
        .sorted(Comparator.comparing(Row.Job::round).thenComparing(Row.Job::host))
        .map(job -> job.work() + " " + job.state())
        .collect(joining(", "));
  }

  /** The verdicts of the open checks of a grant. */
  public String openChecks(String grant) {
    return fleet.rows.checks("open").stream()
        .filter(check -> check.grant().equals(grant))
        .map(Row.Check::state)
        .collect(joining(" "));
  }

  /** How many hooks are written down. */
  public int hooks() {
    return fleet.rows.hooks().size();
  }

  /** What the jobs that take back hooks are told that these had kept. */
  public String kept() {
    return fleet.rows.jobs().stream()
        .filter(job -> job.step() == JobStep.Unhook)
        .sorted(Comparator.comparing(Row.Job::id))
        .map(Row.Job::kept)
        .collect(joining(", "));
  }

  /** Whether a drain was found slow, and what people are told of it. */
  public String lateDrain(String job) {
    return fleet.rows.decisions().stream()
        .filter(late -> late.jobs().contains(job))
        .map(late -> late.pace() + " " + late.says())
        .findFirst()
        .orElse("none");
  }

  /** What people decided about the hosts of a batch that failed. */
  public String decision() {
    return fleet.rows.decisions().getFirst().answer();
  }

  /** Every remediation, such as {@code a1 Update Resumed}. */
  public String remediations() {
    return fleet.rows.remediations().stream()
        .map(one -> one.host() + " " + one.step() + " " + one.state())
        .collect(joining(", "));
  }

  /** What was tried, in order. */
  public String tried() {
    return String.join(" ", fleet.rows.tried());
  }

  /** Who answered, and why. */
  public String approval() {
    Optional<Row.Decision> answer = fleet.rows.decisions().stream().findFirst();
    return answer.map(one -> one.by() + ": " + one.reason()).orElse("none");
  }
}
