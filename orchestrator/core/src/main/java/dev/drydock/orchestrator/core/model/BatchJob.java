package dev.drydock.orchestrator.core.model;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * One round of a step on a host.
 *
 * @param round counts over all steps of the host under the grant, from 1
 * @param run number of the workflow run that published or adopted it
 * @param topic of the consumers that may claim it
 * @param attempt how often it was claimed; 0 means that nobody ever had it
 * @param message what its consumer said at the end, or the board about its result; else empty
 * @param hook number of the hook in its batch; 0 unless it is a Hook or an Unhook
 * @param held whether the board objected to its result for a reason that may pass
 * @param repair the action of a Repair, as the job names it
 * @param left what a Drain told of its progress
 * @param facts what a Repair found out; empty for other steps
 * @param told what its consumer said of the harm
 */
public record BatchJob(
    String id,
    Step step,
    String host,
    int round,
    int run,
    String topic,
    JobStatus status,
    int attempt,
    String message,
    int hook,
    boolean held,
    Optional<String> repair,
    Optional<DrainLeft> left,
    Map<String, String> facts,
    Told told,
    Instant createdAt,
    Optional<Instant> endedAt) {

  public BatchJob {
    facts = facts.isEmpty() ? Map.of() : Map.copyOf(facts);
  }

  /** A job that was put on the board a moment ago. */
  public static BatchJob published(JobOrder order, int run, Instant now) {
    return new BatchJob(
        order.id(),
        order.step(),
        order.host(),
        order.round(),
        run,
        order.topic(),
        JobStatus.PENDING,
        0,
        "",
        order.hook(),
        false,
        order.repair(),
        Optional.empty(),
        Map.of(),
        Told.NOTHING,
        now,
        Optional.empty());
  }

  /**
   * What a consumer said at the end of a job, beside its words.
   *
   * @param begun whether this job, or an earlier one of its step and batch, began anything on the
   *     host; empty if that is not known
   * @param mend what can mend what failed; empty if that is not known
   * @param cause a stable word for what failed; hosts that fail alike have the same one; may be
   *     empty
   */
  public record Told(Optional<Boolean> begun, Optional<Mend> mend, String cause) {
    /** Nothing was said. */
    public static final Told NOTHING = new Told(Optional.empty(), Optional.empty(), "");
  }

  /**
   * What a Drain told while it ran.
   *
   * @param first how much was left at first
   * @param least the least that was ever left
   * @param now how much was left at last
   * @param what of what, in the plural
   * @param fellAt when the least was reached
   */
  public record DrainLeft(long first, long least, long now, String what, Instant fellAt) {}

  /** Whether no attempt is possible any more. */
  public boolean ended() {
    return status.ended();
  }

  public boolean done() {
    return status == JobStatus.DONE;
  }

  /** Whether a consumer was ever given it: then it may have had an effect. */
  public boolean given() {
    return attempt > 0;
  }

  /** Whether it was given to somebody, or still may be. */
  public boolean givenOrOpen() {
    return given() || !ended();
  }

  /** Ended without ever having been given to anybody: it had no effect. */
  public boolean endedUntouched() {
    return ended() && !given();
  }

  /** Its time ended before anybody claimed it: that says nothing of its host. */
  public boolean unclaimed() {
    return status == JobStatus.EXPIRED && !given();
  }

  /** Ended, and nothing was begun on its host: nobody was given it, or its consumer says so. */
  public boolean untouched() {
    return ended() && (!given() || told.begun().equals(Optional.of(false)));
  }

  /** Ended without a result: nobody was given it, or its consumer fell silent. */
  public boolean unanswered() {
    return status == JobStatus.CANCELLED || status == JobStatus.EXPIRED;
  }

  /**
   * Whether it may have had an effect that nobody has read back: the host is unknown (protocol P9).
   * One that began nothing had none, also if its consumer could not tell more of its host. A
   * cancelled job is not: its last consumer has stopped, and the way back reads the host before it
   * touches it.
   */
  public boolean lost() {
    boolean silent = status == JobStatus.EXPIRED && given();
    return (status == JobStatus.UNKNOWN || silent) && !untouched();
  }

  /** Whether it only reads its host. */
  public boolean reads() {
    return step.reads() || repair.filter(RepairAction::reads).isPresent();
  }

  /** Why it did not succeed, in one sentence. */
  public String failure() {
    if (!message.isEmpty()) {
      return step.word() + ": " + message;
    }
    return given()
        ? "%s: every consumer of job %s fell silent, the state of %s is unknown"
            .formatted(step.word(), id, host)
        : "%s: no consumer of %s claimed job %s in time".formatted(step.word(), topic, id);
  }

  /** The same job, owned by another run. */
  public BatchJob adoptedBy(int newRun) {
    return copy(newRun, status, attempt, message, endedAt);
  }

  /** The same job, ended or claimed. */
  public BatchJob with(JobStatus newStatus, int newAttempt, String says, Optional<Instant> end) {
    return copy(run, newStatus, newAttempt, says, end);
  }

  private BatchJob copy(int owner, JobStatus now, int tries, String says, Optional<Instant> end) {
    return new BatchJob(
        id, step, host, round, owner, topic, now, tries, says, hook, held, repair, left, facts,
        told, createdAt, end);
  }

  /** The same job taken off the board. */
  public BatchJob cancelled(Instant now) {
    return with(JobStatus.CANCELLED, attempt, message, Optional.of(now));
  }
}
