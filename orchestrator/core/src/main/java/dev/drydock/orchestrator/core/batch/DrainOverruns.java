package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.orchestrator.core.batch.PhaseProgress.Status;
import dev.drydock.orchestrator.core.drain.DrainPaceClassifier;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Answer;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.Decision.Patience;
import dev.drydock.orchestrator.core.model.Step;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What becomes of a batch whose Drains ended without all of its hosts drained:
 *
 * <ol>
 *   <li>The policies say it, or people do. They are asked once and reminded; without an answer in
 *       time the batch is requeued.
 *   <li>Revert and Requeue turn the batch back; no host on which nothing was begun is Reverted.
 *       Quarantine keeps its late hosts aside, and the others go on.
 *   <li>A batch that goes on, by waiting longer or by force, passes the open check once more first:
 *       an hour may have gone by since the last one. Then the late hosts are drained in a new
 *       round.
 * </ol>
 */
final class DrainOverruns {
  private final SnapshotDraft snapshotDraft;

  DrainOverruns(SnapshotDraft snapshotDraft) {
    this.snapshotDraft = snapshotDraft;
  }

  /** Decides, from the last Drains of the batch. They have ended and lost no host. */
  PhaseProgress settle(List<BatchJob> drains) {
    List<BatchJob> late = late(drains);
    Decision overrun =
        new DecisionBook(snapshotDraft)
            .look(known(late).orElseGet(() -> write(late)), Option.REQUEUE);
    if (overrun.open()) {
      return PhaseProgress.waiting("answer to " + overrun.id(snapshotDraft.grant().id()));
    }
    Answer how = overrun.answer().orElseThrow();
    String reason = overrun.says() + (way(overrun).asks() ? "; " + how.says() : "");
    return switch (how.option()) {
      case REVERT ->
          new PhaseProgress(
              late.stream().allMatch(BatchJob::untouched) ? Status.REQUEUED : Status.FAILED,
              reason);
      case REQUEUE -> new PhaseProgress(Status.REQUEUED, reason);
      case QUARANTINE -> new PhaseProgress(Status.ASIDE, reason);
      case WAIT -> again(overrun, late, false);
      case FORCE -> again(overrun, late, true);
      case RETRY, GO_ON, ABORT, APPROVE, REFUSE ->
          throw new IllegalStateException(
              overrun.id(snapshotDraft.grant().id()) + " was answered " + how);
    };
  }

  private Optional<Decision> last() {
    return snapshotDraft.decisions(Kind.LATE_DRAIN).stream().reduce((_, later) -> later);
  }

  private static LateDrain.Way way(Decision overrun) {
    return ((Decision.LateDrain) overrun.subject()).way();
  }

  /** Hosts whose last Drain ended late. Another round of it is decided here alone. */
  Set<String> hosts() {
    return last().stream()
        .flatMap(overrun -> overrun.jobs().stream())
        .flatMap(id -> snapshotDraft.job(id).stream())
        .filter(
            batchJob ->
                snapshotDraft
                    .last(batchJob.step(), batchJob.host())
                    .filter(batchJob::equals)
                    .isPresent())
        .map(BatchJob::host)
        .collect(Collectors.toSet());
  }

  /** The late hosts that are kept aside, each with the reason. */
  Map<String, String> aside(List<BatchJob> drains) {
    Map<String, String> aside = new HashMap<>();
    last()
        .filter(overrun -> overrun.answered(Option.QUARANTINE))
        .ifPresent(
            overrun ->
                late(drains).stream()
                    .filter(batchJob -> overrun.jobs().contains(batchJob.id()))
                    .forEach(batchJob -> aside.put(batchJob.host(), overrun.says())));
    return aside;
  }

  private static List<BatchJob> late(List<BatchJob> drains) {
    return drains.stream().filter(batchJob -> !batchJob.done()).toList();
  }

  /** Hosts of it may have been quarantined since. */
  private Optional<Decision> known(List<BatchJob> late) {
    List<String> jobs = late.stream().map(BatchJob::id).toList();
    return last().filter(overrun -> Set.copyOf(overrun.jobs()).containsAll(jobs));
  }

  private Decision write(List<BatchJob> late) {
    DrainTerms terms =
        DrainTerms.together(late.stream().map(batchJob -> terms(batchJob.host())).toList());
    LateDrain policy = terms.late();
    String says = says(late, terms);
    DecisionBook.About about =
        new DecisionBook.About(
            new Decision.LateDrain(
                policy.way(),
                DrainPaceClassifier.worst(late, terms.timeout(), snapshotDraft.now()),
                0),
            Step.DRAIN.word(),
            late.stream().map(BatchJob::id).toList(),
            late.stream().collect(Collectors.toMap(BatchJob::host, _ -> says)),
            says);
    DecisionBook book = new DecisionBook(snapshotDraft);
    return policy.way().asks()
        ? book.ask(
            about,
            Optional.of(Patience.since(snapshotDraft.now(), policy.remind(), policy.expires())))
        : book.decided(about, decision(policy.way()));
  }

  private static Option decision(LateDrain.Way way) {
    return switch (way) {
      case REVERT -> Option.REVERT;
      case REQUEUE -> Option.REQUEUE;
      case QUARANTINE -> Option.QUARANTINE;
      case ASK, FORCE -> throw new IllegalArgumentException(way + " is for people to decide");
    };
  }

  private String says(List<BatchJob> late, DrainTerms terms) {
    BatchJob first = late.getFirst();
    String others =
        switch (late.size() - 1) {
          case 0 -> "";
          case 1 -> "; nor was 1 other host";
          default -> "; nor were %d other hosts".formatted(late.size() - 1);
        };
    return "%s was not drained within %d s (%s): %s%s; %s"
        .formatted(
            first.host(),
            terms.timeout().toSeconds(),
            DrainPaceClassifier.says(first, terms.timeout(), snapshotDraft.now()),
            first.failure(),
            others,
            terms.says());
  }

  private PhaseProgress again(Decision overrun, List<BatchJob> late, boolean force) {
    Check open = snapshotDraft.check(Check.Kind.OPEN).orElseThrow();
    boolean asked = open.requested();
    boolean since = open.round() > ((Decision.LateDrain) overrun.subject()).openRound();
    if (!since && !asked) {
      snapshotDraft.act(new Action.AskCheck(Check.Kind.OPEN, open.round() + 1));
      return PhaseProgress.waiting("verdict of the open check");
    }
    Optional<String> refusal = open.refusal(snapshotDraft.now());
    if (refusal.isPresent()) {
      return new PhaseProgress(Status.REQUEUED, refusal.get());
    }
    if (asked || !since) {
      return PhaseProgress.waiting("verdict of the open check");
    }
    JobSets jobs = new JobSets(snapshotDraft);
    for (BatchJob batchJob : late) {
      jobs.drainAgain(batchJob.host(), terms(batchJob.host()), force);
    }
    overrun.hosts().forEach(host -> snapshotDraft.act(new Action.ShowReason(host, "")));
    return PhaseProgress.waiting("Drain");
  }

  private DrainTerms terms(String host) {
    return snapshotDraft.host(host).drain();
  }
}
