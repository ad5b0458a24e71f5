package dev.drydock.orchestrator.jobs;

import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.platform.store.Sql;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** What only hooks may say at the end of a job, and what is kept of it. */
final class HookAnswer {
  private static final int STATE_MAX = 16_000;
  private static final int RETRY_SECONDS_MAX = 3600;

  private HookAnswer() {}

  /** What is wrong with what a result says as of a hook, if anything. */
  static Optional<String> fault(Handle handle, JobRow job, JobReport jobReport) {
    JobOutcome outcome = jobReport.outcome();
    boolean waits = outcome == JobOutcome.Wait;
    if (job.hook() == 0) {
      return waits || outcome == JobOutcome.Veto
          ? Optional.of("outcome: only a Hook may say " + outcome + ", this is " + job.step())
          : jobReport.state().isPresent() || jobReport.retryAfterSeconds().isPresent()
              ? Optional.of("state, retryAfterSeconds: only of a Hook, this is " + job.step())
              : Optional.empty();
    }
    Stage stage = stage(handle, job);
    if (outcome == JobOutcome.Unknown) {
      return Optional.of(
          "outcome: a Hook ends Done, Wait, Veto or Failed: whoever runs it knows what became of it");
    }
    if (outcome == JobOutcome.Veto && stage != Stage.BEFORE_UNDEPLOY) {
      return Optional.of(
          "outcome: there is no way back by a Veto any more, this hook is %s: say Failed"
              .formatted(stage.word()));
    }
    int retry = jobReport.retryAfterSeconds().orElse(0);
    if (waits ? retry < 1 || retry > RETRY_SECONDS_MAX : retry != 0) {
      return Optional.of(
          "retryAfterSeconds: must be from 1 to %d with Wait, and absent with anything else"
              .formatted(RETRY_SECONDS_MAX));
    }
    if (jobReport.state().isPresent() && !stage.pre()) {
      return Optional.of("state: only a pre hook hands one over, this is " + stage.word());
    }
    return jobReport.state().filter(state -> state.length() > STATE_MAX).isPresent()
        ? Optional.of("state: is longer than %d characters".formatted(STATE_MAX))
        : Optional.empty();
  }

  /** What a pre hook handed over is kept with the hook: rounds may come and go. */
  static void keep(Handle handle, JobRow job, JobReport jobReport) {
    if (job.step() == JobStep.Hook && jobReport.state().isPresent()) {
      Sql.update(
          handle,
          "UPDATE batch_hooks SET state = :state WHERE grant_id = :grant AND number = :number",
          Map.of(
              "state", jobReport.state().get(),
              "grant", job.grant(),
              "number", job.hook()));
    }
  }

  private static Stage stage(Handle handle, JobRow job) {
    return Stage.of(
        Sql.one(
            handle,
            String.class,
            "SELECT stage FROM batch_hooks WHERE grant_id = :grant AND number = :number",
            Map.of("grant", job.grant(), "number", job.hook())));
  }
}
