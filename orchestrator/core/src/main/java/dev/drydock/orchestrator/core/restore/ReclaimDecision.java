package dev.drydock.orchestrator.core.restore;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What becomes of one host whose batch lost its run, decided from what consumers were given.
 *
 * <p>Properties: a host that somebody was sent to update is read after that and before anything
 * else is asked for, and so is one whose recovery fell silent. Where rows do not tell whether
 * somebody was sent, every host is read. What the host itself recorded counts: one on which nothing
 * was begun goes back, and one whose update was begun and is not complete is updated, once by each
 * run. It is out of service then: rows that count say so, or it is drained first. Only what neither
 * rows nor the host tell is left to people.
 */
public sealed interface ReclaimDecision {

  /** Nobody was sent to update it, or who was began nothing: it goes back like any other. */
  record NotUpdated() implements ReclaimDecision {}

  /**
   * Somebody may have been sent to update it, and the host says that nothing was begun there: it is
   * brought back and waits again.
   */
  record Untouched() implements ReclaimDecision {}

  /** A consumer has a job of it. */
  record NotYet() implements ReclaimDecision {}

  /** This step tells or brings more. Its last job is waited for while it has not ended. */
  record By(Step step) implements ReclaimDecision {}

  /** It is on the release, healthy, and back in service. */
  record Back() implements ReclaimDecision {}

  /** It can neither be left nor brought back. */
  record Impossible(String reason) implements ReclaimDecision {}

  /**
   * The last jobs of a host.
   *
   * @param claimed whether a consumer has any of its jobs
   * @param drain the last Drain that anybody was given or still may be
   * @param update the last Update that anybody was given
   * @param again the last Update that the run asked for which reclaims
   * @param health the last Health since the host was last changed
   */
  record Jobs(
      boolean claimed,
      Optional<BatchJob> drain,
      Optional<BatchJob> update,
      Optional<BatchJob> again,
      Optional<BatchJob> verify,
      Optional<BatchJob> health,
      Optional<BatchJob> recover) {}

  /**
   * Decides.
   *
   * @param run number of the run that reclaims
   * @param blind whether the rows are older than what was done
   */
  static ReclaimDecision of(Jobs jobs, int run, boolean blind) {
    Optional<BatchJob> update =
        jobs.update().filter(batchJob -> batchJob.given() && !batchJob.untouched());
    if (update.isEmpty() && !blind) {
      return new NotUpdated();
    }
    // A host that was read refuses consumers that were given something before.
    if (jobs.claimed()) {
      return new NotYet();
    }
    if (jobs.again().filter(one -> one.given() && !one.ended()).isPresent()) {
      // The next consumer attaches to what still runs on the host.
      return new By(Step.UPDATE);
    }
    int since =
        Stream.concat(update.stream(), jobs.recover().filter(BatchJob::lost).stream())
            .mapToInt(BatchJob::round)
            .max()
            .orElse(0);
    Predicate<BatchJob> told = batchJob -> !blind || batchJob.run() == run;
    Optional<BatchJob> read =
        jobs.verify().filter(told).filter(batchJob -> batchJob.round() > since);
    if (read.filter(ReclaimDecision::untouched).isPresent()) {
      return new Untouched();
    }
    if (read.filter(ReclaimDecision::halfway).isPresent()) {
      Optional<ReclaimDecision> completes = completes(jobs, told, run);
      if (completes.isPresent()) {
        return completes.get();
      }
    }
    return open(Step.VERIFY, read, run)
        .or(() -> open(Step.HEALTH, jobs.health().filter(told), run))
        .or(() -> open(Step.RECOVER, jobs.recover().filter(told.and(last(jobs.drain()))), run))
        .orElseGet(Back::new);
  }

  /** Whether this reading of a host says that nothing of its update was begun there. */
  public static boolean untouched(BatchJob read) {
    return read.ended() && !read.done() && read.told().begun().equals(Optional.of(false));
  }

  /** Whether it says that an update was begun there, and the host is not on the release. */
  private static boolean halfway(BatchJob read) {
    return read.status() == JobStatus.FAILED && read.told().begun().equals(Optional.of(true));
  }

  /** What completes the update of a host that stands halfway; empty once that was tried. */
  private static Optional<ReclaimDecision> completes(Jobs jobs, Predicate<BatchJob> told, int run) {
    Optional<BatchJob> drain = jobs.drain().filter(told);
    int recovered = jobs.recover().filter(BatchJob::given).map(BatchJob::round).orElse(0);
    return drain.filter(one -> one.done() && one.round() > recovered).isPresent()
        ? open(Step.UPDATE, jobs.again(), run)
        : open(Step.DRAIN, drain.filter(one -> one.run() == run && !one.done()), run);
  }

  /** After a Drain that was given to somebody, no recovery before it counts. */
  private static Predicate<BatchJob> last(Optional<BatchJob> drain) {
    int drained = drain.filter(BatchJob::given).map(BatchJob::round).orElse(0);
    return recover -> recover.round() > drained;
  }

  /** What is left of a step; empty once it is done. */
  private static Optional<ReclaimDecision> open(Step step, Optional<BatchJob> last, int run) {
    if (last.isEmpty() || !last.get().ended()) {
      return Optional.of(new By(step));
    }
    BatchJob batchJob = last.get();
    if (batchJob.done()) {
      return Optional.empty();
    }
    return Optional.of(
        batchJob.unclaimed() || (batchJob.unanswered() && batchJob.run() < run)
            ? new By(step)
            : new Impossible(batchJob.failure()));
  }
}
