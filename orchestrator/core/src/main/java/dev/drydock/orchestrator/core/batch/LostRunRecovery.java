package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.batch.PhaseProgress.Status;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.restore.ReclaimDecision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finishes what a lost run left (protocol P11). Hosts whose update was given to somebody are read,
 * updated where that was begun and is not complete, checked and recovered, and leave the batch
 * Upgraded. The rest of the batch, hosts among it on which nothing was begun, goes back once
 * nothing of that is open any more.
 */
public final class LostRunRecovery {
  // Its batch is in two halves then, and hooks go with the whole of it.
  private static final ReclaimDecision HOOKED =
      new ReclaimDecision.Impossible(
          "it is updated and healthy, and what hooks of its teams began is not done");

  // Hooks of BeforeDeploy would come before it is recovered.
  private static final ReclaimDecision FORGOTTEN =
      new ReclaimDecision.Impossible(
          "it is updated and healthy, but whether hooks of its teams ran was lost with the rows;"
              + " it is not recovered");

  // Nobody knows which of them ran, and so which to take back.
  private static final ReclaimDecision HOOKS_UNKNOWN =
      new ReclaimDecision.Impossible(
          "nothing of its update was begun, but which hooks of its teams ran was lost with the rows");

  private static final String HALFWAY =
      "it stands halfway through its update, and is updated once it may be drained";

  /** How often others wait for a host that may not be drained. */
  private static final int ASKED_MAX = 5;

  private final SnapshotDraft snapshotDraft;
  private final JobSets jobs;

  LostRunRecovery(SnapshotDraft snapshotDraft) {
    this.snapshotDraft = snapshotDraft;
    this.jobs = new JobSets(snapshotDraft);
  }

  /** Whether it is known what became of a host of a batch that lost its run. */
  public static boolean known(BatchSnapshot snapshot, String host) {
    SnapshotDraft snapshotDraft = new SnapshotDraft(snapshot);
    if (!snapshot.grant().alive() || !snapshotDraft.isActive(host)) {
      return true;
    }
    return switch (new LostRunRecovery(snapshotDraft).of(host)) {
      case ReclaimDecision.NotYet() -> false;
      case ReclaimDecision.By(Step step) -> step != Step.VERIFY;
      case ReclaimDecision.NotUpdated(),
          ReclaimDecision.Untouched(),
          ReclaimDecision.Back(),
          ReclaimDecision.Impossible(String _) ->
          true;
    };
  }

  /** Whether a host that lost its run was read since, and nothing of its update was begun there. */
  static boolean foundUntouched(SnapshotDraft snapshotDraft, String host) {
    int given = snapshotDraft.lastGiven(Step.UPDATE, host).map(BatchJob::round).orElse(0);
    return snapshotDraft.grant().reclaim().isPresent()
        && snapshotDraft
            .last(Step.VERIFY, host)
            .filter(read -> read.round() > given && ReclaimDecision.untouched(read))
            .isPresent();
  }

  PhaseProgress pursue() {
    snapshotDraft.act(new Action.InPhase(Phase.RECLAIM));
    // Nobody takes them any more; also those that a silent consumer gives back later.
    jobs.cancel(job -> job.step().leadsForward() && !job.step().reads() && !completes(job));
    Grant grant = snapshotDraft.grant();
    String lost = grant.reclaim().orElse("");
    List<String> back = new ArrayList<>();
    List<String> untouched = new ArrayList<>();
    // Nothing ends while a consumer has a hook.
    Optional<String> waits =
        grant.runsHooks() && new HookStages(snapshotDraft, new HostFailures(snapshotDraft)).runs()
            ? Optional.of("hooks")
            : Optional.empty();
    boolean broken = false;
    boolean others = false;
    for (String host : snapshotDraft.active()) {
      switch (of(host)) {
        case ReclaimDecision.NotUpdated() -> {
          others = true;
          // Also what only reads it, or recovers it: its way back publishes what it needs.
          jobs.cancel(job -> job.hook() == 0 && job.host().equals(host));
        }
        case ReclaimDecision.Untouched() -> {
          others = true;
          untouched.add(host);
        }
        case ReclaimDecision.NotYet() -> waits = Optional.of("jobs of " + host);
        case ReclaimDecision.By(Step step) when step == Step.DRAIN && !mayDrain() -> {
          waits = Optional.of("verdict of the open check");
          says(host, HALFWAY + waitsBecause());
        }
        case ReclaimDecision.By(Step step) -> {
          says(host, "");
          waits = Optional.of(step.word() + " of " + host);
          // Tokens of an earlier run are older than those the host is given from now on.
          jobs.cancel(job -> job.host().equals(host) && job.run() < grant.run());
          jobs.anew(step, host);
        }
        case ReclaimDecision.Back() -> back.add(host);
        case ReclaimDecision.Impossible(String _) -> broken = true;
      }
    }
    if (waits.isPresent()) {
      return PhaseProgress.waiting(waits.get());
    }
    back.forEach(host -> snapshotDraft.act(BatchEnding.returned(snapshotDraft, host, lost)));
    if (grant.blind()) {
      // What rows tell of an earlier recovery is of before the copy.
      untouched.forEach(host -> jobs.anew(Step.RECOVER, host));
    }
    if (broken) {
      return new PhaseProgress(Status.BROKEN, lost);
    }
    return new PhaseProgress(others ? Status.REQUEUED : Status.NEEDLESS, lost);
  }

  /** Whether the job completes the update of a host that stands halfway. */
  private boolean completes(BatchJob job) {
    return snapshotDraft.isActive(job.host())
        && of(job.host()) instanceof ReclaimDecision.By(Step step)
        && step == job.step();
  }

  /** Why hosts that stand halfway are not drained yet, after a colon; empty while nobody said. */
  private String waitsBecause() {
    return snapshotDraft
        .check(Check.Kind.OPEN)
        .filter(check -> check.verdict() == Check.Verdict.WAIT)
        .map(check -> ": " + check.reason())
        .orElse("");
  }

  private void says(String host, String reason) {
    String now = snapshotDraft.host(host).says();
    if (!now.equals(reason) && (now.isEmpty() || now.startsWith(HALFWAY))) {
      snapshotDraft.act(new Action.ShowReason(host, reason));
    }
  }

  /**
   * Whether hosts of the batch wait in vain for one that stands halfway: the open check said Wait
   * again and again. A host that is alone in its batch keeps nobody.
   */
  private boolean keepsOthers() {
    return snapshotDraft.active().size() > 1
        && snapshotDraft
            .check(Check.Kind.OPEN)
            .filter(check -> check.verdict() == Check.Verdict.WAIT && check.round() >= ASKED_MAX)
            .isPresent();
  }

  /** Whether the open check has passed. Nobody may have asked for it: recovery made these rows. */
  private boolean mayDrain() {
    Optional<Check> open = snapshotDraft.check(Check.Kind.OPEN);
    if (open.map(check -> check.isWorthAskingAgain(snapshotDraft.now())).orElse(true)) {
      int round = open.map(Check::round).orElse(0) + 1;
      snapshotDraft.act(new Action.AskCheck(Check.Kind.OPEN, round));
    }
    return open.filter(check -> check.verdict() == Check.Verdict.GRANT).isPresent();
  }

  /** Hosts that can neither be left nor brought back, each with the reason. */
  Map<String, String> broken() {
    Map<String, String> broken = new LinkedHashMap<>();
    for (String host : snapshotDraft.active()) {
      if (of(host) instanceof ReclaimDecision.Impossible(String reason)) {
        broken.put(host, snapshotDraft.grant().reclaim().orElse("") + "; " + reason);
      }
    }
    return broken;
  }

  private ReclaimDecision of(String host) {
    Grant grant = snapshotDraft.grant();
    Optional<BatchJob> recover = snapshotDraft.last(Step.RECOVER, host);
    ReclaimDecision decision =
        ReclaimDecision.of(
            new ReclaimDecision.Jobs(
                snapshotDraft.claimed(host),
                snapshotDraft.lastGiven(Step.DRAIN, host),
                snapshotDraft
                    .jobs(Step.UPDATE, host)
                    .filter(BatchJob::given)
                    .max(Comparator.comparingInt(BatchJob::round)),
                snapshotDraft.last(Step.UPDATE, host).filter(job -> job.run() == grant.run()),
                snapshotDraft.last(Step.VERIFY, host),
                HealthSinceChange.of(snapshotDraft, host),
                recover),
            grant.run(),
            grant.blind());
    // A recovery that was asked for before, after its hooks, is waited for.
    boolean recovers = recover.filter(job -> !job.ended() || job.unanswered()).isPresent();
    return switch (decision) {
      case ReclaimDecision.By(Step step) when step == Step.DRAIN && keepsOthers() ->
          new ReclaimDecision.Impossible(HALFWAY + waitsBecause());
      case ReclaimDecision.By(Step step)
          when (step == Step.DRAIN || step == Step.UPDATE) && !mayComplete(host) ->
          new ReclaimDecision.Impossible(
              snapshotDraft.last(Step.VERIFY, host).orElseThrow().failure());
      case ReclaimDecision.By(Step step) when grant.aborted() && nobodyTakes(step, host) ->
          new ReclaimDecision.Impossible(snapshotDraft.last(step, host).orElseThrow().failure());
      case ReclaimDecision.By(Step step) when step == Step.RECOVER && grant.hooksForgotten() ->
          FORGOTTEN;
      case ReclaimDecision.By(Step step)
          when step == Step.RECOVER && grant.runsHooks() && !recovers ->
          HOOKED;
      case ReclaimDecision.Back() when grant.runsHooks() -> HOOKED;
      case ReclaimDecision.Untouched()
          when grant.blind() && (grant.hooksForgotten() || grant.runsHooks()) ->
          HOOKS_UNKNOWN;
      default -> decision;
    };
  }

  /**
   * Whether the update of a host may go on that stands halfway. People have not taken it away, it
   * is not on its way to the release before, and no hooks go with it.
   */
  private boolean mayComplete(String host) {
    Grant grant = snapshotDraft.grant();
    return !grant.aborted()
        && !grant.runsHooks()
        && !grant.hooksForgotten()
        && snapshotDraft.host(host).backTo().isEmpty();
  }

  /** Whether nobody was given the step, nor ever is, as people broke into the batch. */
  private boolean nobodyTakes(Step step, String host) {
    return step.leadsForward()
        && snapshotDraft
            .last(step, host)
            .filter(job -> job.unclaimed() && job.run() == snapshotDraft.grant().run())
            .isPresent();
  }
}
