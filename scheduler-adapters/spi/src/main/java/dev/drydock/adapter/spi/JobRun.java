package dev.drydock.adapter.spi;

import dev.drydock.api.ClaimedJob;
import dev.drydock.api.InstanceReportArray;
import dev.drydock.api.Job;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.WireCollections;
import dev.drydock.proto.crash.CrashPoint;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/** One job from its claim to the answer of complete. */
record JobRun(SchedulerAdapter adapter, Board board, LeaseClock clock, String consumer) {
  private static final Logger LOG = LoggerFactory.getLogger(JobRun.class);

  /** Claims the job, does it and reports it. Returns early when the claim is refused or lost. */
  void run(Job job) {
    MDC.put("rollout", job.getRollout());
    MDC.put("host", job.getHost());
    MDC.put("job", job.getId());
    try {
      long sent = clock.millis();
      ClaimedJob claimed = board.claim(job.getId(), consumer);
      JobMetrics.CLAIMED.labelValues(job.getStep().name()).inc();
      MDC.put("attempt", claimed.getAttempt().toString());
      Lease lease = new Lease(clock, sent, claimed.getLeaseSeconds());
      StepProgress stepProgress = new StepProgress();
      try (Heartbeat beating = new Heartbeat(board, claimed, lease, clock, stepProgress)) {
        work(claimed, lease, sent, stepProgress);
      }
    } catch (CallException e) {
      // A lost answer may have been a claim: then it comes back with the next attempt. A conflict
      // is
      // usual: somebody was faster, or a check is asked again first.
      LOG.atLevel(e.status() == 409 ? Level.DEBUG : Level.INFO)
          .log("{}: not ours: {}", job.getId(), e.getMessage());
    } finally {
      MDC.clear();
    }
  }

  private void work(ClaimedJob claimed, Lease lease, long sent, StepProgress stepProgress) {
    Job job = claimed.getJob();
    LOG.info("{}: attempt {}", job.getId(), claimed.getAttempt());
    CrashPoint.reach(point(job, "claimed"));
    try {
      StepOutcome stepOutcome =
          step(
              new ClaimedStep(
                  claimed,
                  lease,
                  clock,
                  sent + timeMillis(job),
                  () -> board.mark(adapter.source()),
                  stepProgress));
      LOG.info(
          "{}: {}: {}", job.getId(), stepOutcome.getClass().getSimpleName(), stepOutcome.message());
      CrashPoint.reach(point(job, "done"));
      JobResult result = result(stepOutcome);
      cause(stepOutcome)
          .ifPresent(
              failureCause -> explain(result, failureCause, claimed.getAttempt(), stepProgress));
      if (stepOutcome instanceof StepOutcome.Failed) {
        stepProgress.last().ifPresent(result::setLeft);
      }
      board.complete(job.getId(), claimed.getClaim(), result);
      String stepName = job.getStep().name();
      JobMetrics.ENDED.labelValues(stepName, result.getOutcome().name()).inc();
      JobMetrics.SECONDS.labelValues(stepName).observe((clock.millis() - sent) / 1000.0);
    } catch (LeaseLostException e) {
      LOG.warn("{}: stopped, {}", job.getId(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      LOG.info("{}: stopped, the adapter ends", job.getId());
    } catch (CallException e) {
      LOG.error("{}: could not be reported: {}", job.getId(), e.getMessage());
    }
  }

  private static String point(Job job, String reached) {
    return "adapter-" + job.getStep().name().toLowerCase(Locale.ROOT) + "-" + reached;
  }

  private StepOutcome step(ClaimedStep claimedStep) throws InterruptedException {
    try {
      return switch (claimedStep.job().getStep()) {
        case Cordon -> adapter.cordon(claimedStep);
        case Drain -> adapter.drain(claimedStep);
        case Recover -> adapter.recover(claimedStep);
        case Uncordon -> adapter.uncordon(claimedStep);
        case Preflight, Verify, Update, Health, Hook, Unhook, Repair, Approve, $UNKNOWN ->
            new StepOutcome.Failed(
                "a scheduler adapter does no " + claimedStep.job().getStep() + "; nothing was done",
                FailureCause.people("no-such-step"));
      };
    } catch (LeaseLostException | CallException e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.error("{}: the step broke", claimedStep.job().getId(), e);
      return new StepOutcome.Unknown("the adapter broke on it: " + e);
    }
  }

  /** From the claim on, by the board; a tenth of it is kept for putting things back. */
  private static long timeMillis(Job job) {
    int seconds = Objects.requireNonNullElse(job.getSecondsLeft(), job.getDeadlineSeconds());
    return Math.max(0, seconds) * 1000L * 9 / 10;
  }

  private static JobResult result(StepOutcome stepOutcome) {
    JobResult result = new JobResult().setMessage(stepOutcome.message());
    return switch (stepOutcome) {
      case StepOutcome.Done done ->
          add(
              result.setOutcome(JobOutcome.Done).setFacts(WireCollections.map(done.facts())),
              done.reading());
      case StepOutcome.Failed failed -> add(result.setOutcome(JobOutcome.Failed), failed.reading());
      case StepOutcome.Unknown unknown -> result.setOutcome(JobOutcome.Unknown);
    };
  }

  private static Optional<FailureCause> cause(StepOutcome stepOutcome) {
    return switch (stepOutcome) {
      case StepOutcome.Done done -> Optional.empty();
      case StepOutcome.Failed failed -> Optional.of(failed.cause());
      case StepOutcome.Unknown unknown -> Optional.of(unknown.cause());
    };
  }

  /** Of a later attempt that has begun nothing it is not known whether an earlier one has. */
  private static void explain(
      JobResult result, FailureCause failureCause, int attempt, StepProgress stepProgress) {
    result.setCause(failureCause.word());
    failureCause.mend().ifPresent(result::setMend);
    if (stepProgress.hasBegun()) {
      result.setBegun(true);
    } else if (attempt == 1 || failureCause.untouched()) {
      result.setBegun(false);
    }
  }

  private static JobResult add(JobResult result, Optional<HostReading> reading) {
    reading.ifPresent(
        read ->
            result.setMark(read.mark()).setInstances(new InstanceReportArray(read.instances())));
    return result;
  }
}
