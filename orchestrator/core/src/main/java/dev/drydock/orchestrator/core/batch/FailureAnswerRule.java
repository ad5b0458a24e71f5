package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.BlockedBatch;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which answers people may give about hosts of a batch that failed.
 *
 * <ol>
 *   <li>Retry is not possible while the state of a host is unknown (protocol P9), also by what was
 *       tried to repair it.
 *   <li>Abort is not possible on the way back, nor once an update may have begun.
 * </ol>
 */
public final class FailureAnswerRule {
  private FailureAnswerRule() {}

  /**
   * A question about hosts that failed.
   *
   * @param goingBack whether its batch was on its way back when the hosts failed
   * @param unknown hosts whose state is unknown
   * @param updated whether an update of any host of the batch may have begun
   */
  public record Question(boolean goingBack, List<String> unknown, boolean updated) {

    public Question {
      unknown = List.copyOf(unknown);
    }

    /** The question that a failure asks. */
    public static Question of(BatchSnapshot snapshot, Decision failure) {
      return new Question(
          ((BlockedBatch) failure.subject()).goingBack(),
          unknown(new SnapshotDraft(snapshot), failure),
          snapshot.jobs().stream()
              .anyMatch(
                  batchJob ->
                      batchJob.step() == Step.UPDATE && batchJob.given() && !batchJob.untouched()));
    }

    /** A later round of a step says more of its host. A hook says nothing of it. */
    private static List<String> unknown(SnapshotDraft snapshotDraft, Decision failure) {
      Stream<String> failed =
          failure.jobs().stream()
              .flatMap(id -> snapshotDraft.job(id).stream())
              .filter(
                  batchJob ->
                      snapshotDraft
                          .last(batchJob.step(), batchJob.host())
                          .equals(Optional.of(batchJob)))
              .filter(batchJob -> batchJob.hook() == 0 && batchJob.lost())
              .map(BatchJob::host);
      Stream<String> repaired =
          failure.reasons().keySet().stream().filter(host -> unknown(snapshotDraft, host));
      return Stream.concat(failed, repaired).distinct().toList();
    }

    /** Whether the last that was done to the host had an effect that nobody has read back. */
    private static boolean unknown(SnapshotDraft snapshotDraft, String host) {
      boolean unknown = false;
      for (BatchJob batchJob : snapshotDraft.jobs()) {
        if (batchJob.host().equals(host) && batchJob.hook() == 0 && batchJob.ended()) {
          boolean known = batchJob.done() || batchJob.status() == JobStatus.FAILED;
          unknown = !known && (unknown || (batchJob.lost() && !batchJob.reads()));
        }
      }
      return unknown;
    }
  }

  /** Why this answer is not possible. */
  public static Optional<String> impossible(Question question, Option answer) {
    return switch (answer) {
      case GO_ON -> Optional.empty();
      case RETRY ->
          question.unknown().stream()
              .findFirst()
              .map(
                  host ->
                      "cannot be answered Retry: the state of %s is unknown, say GoOn"
                          .formatted(host));
      case ABORT ->
          question.goingBack() || question.updated()
              ? Optional.of("cannot be answered Abort: there is no way back any more")
              : Optional.empty();
      case WAIT, REQUEUE, FORCE, QUARANTINE, REVERT, APPROVE, REFUSE ->
          Optional.of("cannot be answered " + answer.word());
    };
  }
}
