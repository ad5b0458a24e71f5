package dev.drydock.orchestrator.core.remediation;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RepairAction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * An action of a remediation, with its job.
 *
 * @param rung its place on the ladder, if it is the first action of a rung
 */
public record RepairStep(RepairAction action, OptionalInt rung, BatchJob job) {
  /** What a diagnosis found this long ago may not hold any more. */
  static final Duration FRESH = Duration.ofMinutes(1);

  /** What a remediation did so far, in order; its jobs are found by their ids. */
  public static List<RepairStep> of(Remediation remediation, Function<String, BatchJob> jobs) {
    return remediation.taken().stream()
        .map(taken -> new RepairStep(taken.action(), taken.rung(), jobs.apply(taken.job())))
        .toList();
  }

  boolean ended() {
    return job.ended();
  }

  boolean done() {
    return job.done();
  }

  /**
   * Whether it ended so long ago that what it found may not hold any more. An end in the future
   * means that the clock was set back: the step counts as old, because its age is unknown.
   */
  boolean old(Instant now) {
    return job.endedAt()
        .filter(end -> end.isBefore(now.minus(FRESH)) || end.isAfter(now))
        .isPresent();
  }

  /** Its time was over before anybody took it: nothing became known by it. */
  boolean unclaimed() {
    return job.unclaimed();
  }

  /** As people read it. */
  public String says() {
    return action.word() + ": " + found();
  }

  /** What its job says, or what became of it where that says nothing. */
  public String found() {
    return job.message().isEmpty() ? job.status().word() : job.message();
  }
}
