package dev.drydock.orchestrator.core.testkit;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchJob.DrainLeft;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Builds one round of a step. Unless told otherwise it is pending, the first round, of run 1 of
 * grant g1.
 */
public final class JobBuilder {
  /** When jobs are published, and end, unless a test says another time. */
  public static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  private final Step step;
  private final String host;
  private int round = 1;
  private int run = 1;
  private JobStatus status = JobStatus.PENDING;
  private int attempt;
  private String message = "";
  private int hook;
  private String topic;
  private boolean held;
  private Optional<String> repair = Optional.empty();
  private Optional<DrainLeft> left = Optional.empty();
  private Map<String, String> facts = Map.of();
  private BatchJob.Told told = BatchJob.Told.NOTHING;
  private Instant created = NOW;
  private Instant end = NOW;

  private JobBuilder(Step step, String host) {
    this.step = step;
    this.host = host;
    this.topic = step.onHost() ? "host/PackageUpdate" : "scheduler/static";
  }

  /** A job of a step on a host. */
  public static JobBuilder job(Step step, String host) {
    return new JobBuilder(step, host);
  }

  public JobBuilder round(int number) {
    round = number;
    return this;
  }

  public JobBuilder run(int number) {
    run = number;
    return this;
  }

  /** In this state after so many attempts. */
  public JobBuilder is(JobStatus state, int attempts) {
    status = state;
    attempt = attempts;
    return this;
  }

  /** It ended well after one attempt. */
  public JobBuilder done() {
    return is(JobStatus.DONE, 1);
  }

  /** A consumer has it. */
  public JobBuilder claimed() {
    return is(JobStatus.CLAIMED, 1);
  }

  /** Its consumer said that it failed, and why. */
  public JobBuilder failed(String why) {
    return is(JobStatus.FAILED, 1).saying(why);
  }

  /** No consumer took it before its time was over. */
  public JobBuilder untaken() {
    return is(JobStatus.EXPIRED, 0);
  }

  /** Its consumers fell silent before its time was over. */
  public JobBuilder silent() {
    return is(JobStatus.EXPIRED, 1);
  }

  public JobBuilder saying(String words) {
    message = words;
    return this;
  }

  /** The job of a hook, by its number and name. */
  public JobBuilder hook(int number, String name) {
    hook = number;
    topic = "hook/" + name;
    return this;
  }

  /** The board objected to its result for a reason that may pass. */
  public JobBuilder held() {
    held = true;
    return this;
  }

  public JobBuilder repair(RepairAction action) {
    repair = action.repair();
    return this;
  }

  /**
   * What a drain told: how much was left at first, at least and at last, and since when no less.
   */
  public JobBuilder left(long first, long least, long now, Duration noLess) {
    left = Optional.of(new DrainLeft(first, least, now, "requests", end.minus(noLess)));
    return this;
  }

  public JobBuilder facts(Map<String, String> found) {
    facts = found;
    return this;
  }

  /** Its consumer says whether anything was begun on the host. */
  public JobBuilder begun(boolean anything) {
    told = new BatchJob.Told(Optional.of(anything), Optional.empty(), "");
    return this;
  }

  /** Its consumer says that nothing was begun on the host, and what can mend that. */
  public JobBuilder untouched(Mend mend) {
    return untouched(mend, "");
  }

  /** The same, for a cause that hosts which fail alike share. */
  public JobBuilder untouched(Mend mend, String cause) {
    told = new BatchJob.Told(Optional.of(false), Optional.of(mend), cause);
    return this;
  }

  public JobBuilder createdAt(Instant when) {
    created = when;
    return this;
  }

  public JobBuilder endedAt(Instant when) {
    end = when;
    return this;
  }

  /** The job. */
  public BatchJob build() {
    return new BatchJob(
        "g1.%s.%s.%d".formatted(step.word(), host, round),
        step,
        host,
        round,
        run,
        topic,
        status,
        attempt,
        message,
        hook,
        held,
        repair,
        left,
        facts,
        told,
        created,
        status.ended() ? Optional.of(end) : Optional.empty());
  }
}
