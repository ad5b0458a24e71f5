package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.orchestrator.core.batch.Progress.Status;
import dev.drydock.orchestrator.core.drain.DrainPace;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Answer;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.Decision.Patience;
import dev.drydock.orchestrator.core.model.Job;
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
  private final Draft draft;

  DrainOverruns(Draft draft) {
    this.draft = draft;
  }

  /** Decides, from the last Drains of the batch. They have ended and lost no host. */
  Progress settle(List<Job> drains) {
    List<Job> late = late(drains);
    Decision overrun =
        new DecisionBook(draft).look(known(late).orElseGet(() -> write(late)), Option.REQUEUE);
    if (overrun.open()) {
      return Progress.waiting("answer to " + overrun.id(draft.grant().id()));
    }
    Answer how = overrun.answer().orElseThrow();
    String reason = overrun.says() + (way(overrun).asks() ? "; " + how.says() : "");
    return switch (how.option()) {
      case REVERT ->
          new Progress(
              late.stream().allMatch(Job::untouched) ? Status.HELD : Status.FAILED, reason);
      case REQUEUE -> new Progress(Status.HELD, reason);
      case QUARANTINE -> new Progress(Status.ASIDE, reason);
      case WAIT -> again(overrun, late, false);
      case FORCE -> again(overrun, late, true);
      case RETRY, GO_ON, ABORT, APPROVE, REFUSE ->
          throw new IllegalStateException(overrun.id(draft.grant().id()) + " was answered " + how);
    };
  }

  private Optional<Decision> last() {
    return draft.decisions(Kind.LATE_DRAIN).stream().reduce((_, later) -> later);
  }

  private static LateDrain.Way way(Decision overrun) {
    return ((Decision.LateDrain) overrun.subject()).way();
  }

  /** Hosts whose last Drain ended late. Another round of it is decided here alone. */
  Set<String> hosts() {
    return last().stream()
        .flatMap(overrun -> overrun.jobs().stream())
        .flatMap(id -> draft.job(id).stream())
        .filter(job -> draft.last(job.step(), job.host()).filter(job::equals).isPresent())
        .map(Job::host)
        .collect(Collectors.toSet());
  }

  /** The late hosts that are kept aside, each with the reason. */
  Map<String, String> aside(List<Job> drains) {
    Map<String, String> aside = new HashMap<>();
    last()
        .filter(overrun -> overrun.answered(Option.QUARANTINE))
        .ifPresent(
            overrun ->
                late(drains).stream()
                    .filter(job -> overrun.jobs().contains(job.id()))
                    .forEach(job -> aside.put(job.host(), overrun.says())));
    return aside;
  }

  private static List<Job> late(List<Job> drains) {
    return drains.stream().filter(job -> !job.done()).toList();
  }

  /** Hosts of it may have been quarantined since. */
  private Optional<Decision> known(List<Job> late) {
    List<String> jobs = late.stream().map(Job::id).toList();
    return last().filter(overrun -> Set.copyOf(overrun.jobs()).containsAll(jobs));
  }

  private Decision write(List<Job> late) {
    DrainTerms terms = DrainTerms.together(late.stream().map(job -> terms(job.host())).toList());
    LateDrain policy = terms.late();
    String says = says(late, terms);
    DecisionBook.About about =
        new DecisionBook.About(
            new Decision.LateDrain(
                policy.way(), DrainPace.worst(late, terms.timeout(), draft.now()), 0),
            Step.DRAIN.word(),
            late.stream().map(Job::id).toList(),
            late.stream().collect(Collectors.toMap(Job::host, _ -> says)),
            says);
    DecisionBook book = new DecisionBook(draft);
    return policy.way().asks()
        ? book.ask(
            about, Optional.of(Patience.since(draft.now(), policy.remind(), policy.expires())))
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

  private String says(List<Job> late, DrainTerms terms) {
    Job first = late.getFirst();
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
            DrainPace.says(first, terms.timeout(), draft.now()),
            first.failure(),
            others,
            terms.says());
  }

  private Progress again(Decision overrun, List<Job> late, boolean force) {
    Check open = draft.check(Check.Kind.OPEN).orElseThrow();
    boolean asked = open.requested();
    boolean since = open.round() > ((Decision.LateDrain) overrun.subject()).openRound();
    if (!since && !asked) {
      draft.act(new Action.AskCheck(Check.Kind.OPEN, open.round() + 1));
      return Progress.waiting("verdict of the open check");
    }
    Optional<String> refusal = open.refusal(draft.now());
    if (refusal.isPresent()) {
      return new Progress(Status.HELD, refusal.get());
    }
    if (asked || !since) {
      return Progress.waiting("verdict of the open check");
    }
    JobSets jobs = new JobSets(draft);
    for (Job job : late) {
      jobs.drainAgain(job.host(), terms(job.host()), force);
    }
    overrun.hosts().forEach(host -> draft.act(new Action.ShowReason(host, "")));
    return Progress.waiting("Drain");
  }

  private DrainTerms terms(String host) {
    return draft.host(host).drain();
  }
}
