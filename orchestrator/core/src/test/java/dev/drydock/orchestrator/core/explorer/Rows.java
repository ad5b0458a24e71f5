package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RepairLoad;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** What others than the interpreter write: the board, the grantor, people, and time. */
final class Rows {
  /** The clock stands still; what is older than something is put before it. */
  static final Instant NOW = Instant.ofEpochSecond(1_000_000);

  static final Instant LONG_AGO = NOW.minus(Duration.ofDays(2));

  private BatchSnapshot rows;

  private Rows(BatchSnapshot rows) {
    this.rows = rows;
  }

  static Rows of(BatchState batchState) {
    return new Rows(batchState.rows);
  }

  static Rows of(BatchSnapshot rows) {
    return new Rows(rows);
  }

  BatchSnapshot done() {
    return rows;
  }

  private Rows with(
      Grant grant,
      Optional<String> aborted,
      List<BatchJob> jobs,
      List<Check> checks,
      Map<String, RepairLoad> loads) {
    rows =
        new BatchSnapshot(
            rows.now(),
            grant,
            rows.mode(),
            aborted,
            rows.hosts(),
            rows.quarantined(),
            jobs,
            checks,
            rows.hooks(),
            rows.wanted(),
            rows.running(),
            rows.decisions(),
            rows.remediations(),
            rows.limits(),
            loads);
    return this;
  }

  /** As if no hooks were written. */
  Rows withoutHooks() {
    return asked(List.of(), rows.decisions(), rows.remediations());
  }

  /** As if no failure was written. */
  Rows withoutFailures() {
    return asked(
        rows.hooks(),
        rows.decisions().stream().filter(one -> !one.is(Kind.BLOCKED_BATCH)).toList(),
        rows.remediations());
  }

  /** As if these remediations were written and no others. */
  Rows remediations(List<Remediation> remediations) {
    return asked(rows.hooks(), rows.decisions(), remediations);
  }

  private Rows asked(
      List<BatchHook> hooks, List<Decision> decisions, List<Remediation> remediations) {
    rows =
        new BatchSnapshot(
            rows.now(),
            rows.grant(),
            rows.mode(),
            rows.aborted(),
            rows.hosts(),
            rows.quarantined(),
            rows.jobs(),
            rows.checks(),
            hooks,
            rows.wanted(),
            rows.running(),
            decisions,
            remediations,
            rows.limits(),
            rows.loads());
    return this;
  }

  Rows jobs(List<BatchJob> jobs) {
    return with(rows.grant(), rows.aborted(), jobs, rows.checks(), rows.loads());
  }

  Rows job(String id, UnaryOperator<BatchJob> change) {
    return jobs(
        rows.jobs().stream()
            .map(batchJob -> batchJob.id().equals(id) ? change.apply(batchJob) : batchJob)
            .toList());
  }

  /** Takes pending jobs off the board. */
  Rows cancel(Predicate<BatchJob> which) {
    return jobs(
        rows.jobs().stream()
            .map(
                batchJob ->
                    batchJob.status() == JobStatus.PENDING && which.test(batchJob)
                        ? batchJob.cancelled(NOW)
                        : batchJob)
            .toList());
  }

  Rows check(Check check) {
    List<Check> checks = new ArrayList<>(rows.checks());
    checks.removeIf(one -> one.kind() == check.kind());
    checks.add(check);
    return with(rows.grant(), rows.aborted(), rows.jobs(), checks, rows.loads());
  }

  Rows grant(Grant grant) {
    return with(grant, rows.aborted(), rows.jobs(), rows.checks(), rows.loads());
  }

  Rows aborted(String why) {
    return with(rows.grant(), Optional.of(why), rows.jobs(), rows.checks(), rows.loads());
  }

  Rows loads(Map<String, RepairLoad> loads) {
    return with(rows.grant(), rows.aborted(), rows.jobs(), rows.checks(), loads);
  }

  /** People decide it. */
  Rows answered(Decision asked, Option how) {
    int round =
        rows.checks().stream()
            .filter(check -> check.kind() == Check.Kind.OPEN)
            .mapToInt(Check::round)
            .sum();
    return decision(asked, asked.answered(new Decision.Answer(how, "ann", ""), round));
  }

  Rows decision(Decision before, Decision after) {
    List<Decision> all = new ArrayList<>(rows.decisions());
    all.set(all.indexOf(before), after);
    return asked(rows.hooks(), all, rows.remediations());
  }

  /** A job with what its consumer said. */
  static BatchJob ended(
      BatchJob batchJob,
      JobStatus how,
      String says,
      boolean held,
      Map<String, String> facts,
      BatchJob.Told told) {
    return new BatchJob(
        batchJob.id(),
        batchJob.step(),
        batchJob.host(),
        batchJob.round(),
        batchJob.run(),
        batchJob.topic(),
        how,
        batchJob.attempt(),
        says,
        batchJob.hook(),
        held,
        batchJob.repair(),
        batchJob.left(),
        facts,
        told,
        batchJob.createdAt(),
        Optional.of(NOW));
  }

  /** The same job, told otherwise. */
  static BatchJob found(BatchJob batchJob, Map<String, String> facts, BatchJob.Told told) {
    return new BatchJob(
        batchJob.id(),
        batchJob.step(),
        batchJob.host(),
        batchJob.round(),
        batchJob.run(),
        batchJob.topic(),
        batchJob.status(),
        batchJob.attempt(),
        batchJob.message(),
        batchJob.hook(),
        batchJob.held(),
        batchJob.repair(),
        batchJob.left(),
        facts,
        told,
        batchJob.createdAt(),
        batchJob.endedAt());
  }

  /** A job that ended long ago. */
  static BatchJob old(BatchJob batchJob) {
    return batchJob.with(
        batchJob.status(), batchJob.attempt(), batchJob.message(), Optional.of(LONG_AGO));
  }

  static Grant stage(Grant grant, GrantStage stage) {
    return new Grant(
        grant.id(),
        grant.rollout(),
        grant.run(),
        grant.alive(),
        stage,
        grant.aborted(),
        grant.reclaim(),
        grant.blind(),
        grant.hooked(),
        grant.onHostFailure(),
        grant.turnedBack());
  }

  static Grant barred(Grant grant) {
    return new Grant(
        grant.id(),
        grant.rollout(),
        grant.run(),
        grant.alive(),
        grant.stage(),
        true,
        grant.reclaim(),
        grant.blind(),
        grant.hooked(),
        grant.onHostFailure(),
        grant.turnedBack());
  }

  /** The same after its run was lost; by rows that are older than what was done, if so. */
  static Grant reclaimed(Grant grant, boolean blind) {
    return new Grant(
        grant.id(),
        grant.rollout(),
        grant.run() + (blind ? 1_000_000 : 1),
        grant.alive(),
        grant.stage(),
        grant.aborted(),
        Optional.of(grant.reclaim().orElse(blind ? "PostgreSQL was restored" : "its run was lost")),
        grant.blind() || blind,
        grant.hooked(),
        grant.onHostFailure(),
        blind ? Optional.empty() : grant.turnedBack());
  }
}
