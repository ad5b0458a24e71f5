package dev.drydock.adapter.spi;

import dev.drydock.api.ClaimedJob;
import dev.drydock.api.InstanceReportArray;
import dev.drydock.api.Job;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.Values;
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
      Told told = new Told();
      try (Heartbeat beating = new Heartbeat(board, claimed, lease, clock, told)) {
        work(claimed, lease, sent, told);
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

  private void work(ClaimedJob claimed, Lease lease, long sent, Told told) {
    Job job = claimed.getJob();
    LOG.info("{}: attempt {}", job.getId(), claimed.getAttempt());
    CrashPoint.reach(point(job, "claimed"));
    try {
      Outcome outcome =
          step(
              new Work(
                  claimed,
                  lease,
                  clock,
                  sent + timeMillis(job),
                  () -> board.mark(adapter.source()),
                  told));
      LOG.info("{}: {}: {}", job.getId(), outcome.getClass().getSimpleName(), outcome.message());
      CrashPoint.reach(point(job, "done"));
      JobResult result = result(outcome);
      cause(outcome).ifPresent(cause -> explain(result, cause, claimed.getAttempt(), told));
      if (outcome instanceof Outcome.Failed) {
        told.last().ifPresent(result::setLeft);
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

  private Outcome step(Work work) throws InterruptedException {
    try {
      return switch (work.job().getStep()) {
        case Freeze -> adapter.freeze(work);
        case Drain -> adapter.drain(work);
        case Recover -> adapter.recover(work);
        case Unfreeze -> adapter.unfreeze(work);
        case Preflight, Verify, Update, Health, Hook, Unhook, Repair, Approve, $UNKNOWN ->
            new Outcome.Failed(
                "a scheduler adapter does no " + work.job().getStep() + "; nothing was done",
                Cause.people("no-such-step"));
      };
    } catch (LeaseLostException | CallException e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.error("{}: the step broke", work.job().getId(), e);
      return new Outcome.Unknown("the adapter broke on it: " + e);
    }
  }

  /** From the claim on, by the board; a tenth of it is kept for putting things back. */
  private static long timeMillis(Job job) {
    int seconds = Objects.requireNonNullElse(job.getSecondsLeft(), job.getDeadlineSeconds());
    return Math.max(0, seconds) * 1000L * 9 / 10;
  }

  private static JobResult result(Outcome outcome) {
    JobResult result = new JobResult().setMessage(outcome.message());
    return switch (outcome) {
      case Outcome.Done done ->
          add(
              result.setOutcome(JobOutcome.Done).setFacts(Values.map(done.facts())),
              done.reading());
      case Outcome.Failed failed -> add(result.setOutcome(JobOutcome.Failed), failed.reading());
      case Outcome.Unknown unknown -> result.setOutcome(JobOutcome.Unknown);
    };
  }

  private static Optional<Cause> cause(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Done done -> Optional.empty();
      case Outcome.Failed failed -> Optional.of(failed.cause());
      case Outcome.Unknown unknown -> Optional.of(unknown.cause());
    };
  }

  /** Of a later attempt that has begun nothing it is not known whether an earlier one has. */
  private static void explain(JobResult result, Cause cause, int attempt, Told told) {
    result.setCause(cause.word());
    cause.mend().ifPresent(result::setMend);
    if (told.hasBegun()) {
      result.setBegun(true);
    } else if (attempt == 1 || cause.untouched()) {
      result.setBegun(false);
    }
  }

  private static JobResult add(JobResult result, Optional<Reading> reading) {
    reading.ifPresent(
        read ->
            result.setMark(read.mark()).setInstances(new InstanceReportArray(read.instances())));
    return result;
  }
}
