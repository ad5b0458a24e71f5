package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.JobOrder;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What holds of every decision and every state. What is broken is collected: the first words name
 * the rule.
 */
final class Rules {
  private final List<Broken> found = new ArrayList<>();

  /** A rule that does not hold. */
  record Broken(String rule, String why) {}

  void broken(String rule, String why) {
    found.add(new Broken(rule, why));
  }

  void require(boolean holds, String rule, String otherwise) {
    if (!holds) {
      broken(rule, otherwise);
    }
  }

  /** What was found since it was asked last. */
  List<Broken> taken() {
    if (found.isEmpty()) {
      return List.of();
    }
    List<Broken> taken = List.copyOf(found);
    found.clear();
    return taken;
  }

  /** An action is about to be applied. */
  void about(BatchState batchState, BatchSnapshot rows, Action action) {
    switch (action) {
      case Action.Publish(JobOrder order) -> publishes(batchState, rows, order);
      case Action.Quarantine(String host, String reason) -> {
        require(
            batchState.locks[BatchState.of(host)] == BatchState.QUARANTINED,
            "ETCD",
            host + " is called quarantined while its lock is not");
        leaves(batchState, rows, host, new Action.EndBatch.Ended(HostEnd.QUARANTINED, reason));
      }
      case Action.Return(String host, HostEnd end, String reason) ->
          leaves(batchState, rows, host, new Action.EndBatch.Ended(end, reason));
      case Action.EndBatch(Map<String, Action.EndBatch.Ended> ends, HostEnd _) -> {
        List<String> live =
            rows.jobs().stream().filter(batchJob -> !batchJob.ended()).map(BatchJob::id).toList();
        require(live.isEmpty(), "QUIET", "the batch ends while " + live + " have not ended");
        for (BatchHost host : rows.hosts()) {
          require(ends.containsKey(host.name()), "I7", host.name() + " is in no end of its batch");
        }
        HookRules.atEnd(this, rows);
        ends.forEach((host, ended) -> leaves(batchState, rows, host, ended));
      }
      default -> {}
    }
  }

  private void leaves(
      BatchState batchState, BatchSnapshot rows, String host, Action.EndBatch.Ended ended) {
    require(
        active(rows, host) && batchState.ends[BatchState.of(host)] == 0,
        "I7",
        host + " leaves once more");
    require(
        !ended.reason().isEmpty() || ended.end() == HostEnd.UPGRADED,
        "I7",
        host + " ends " + ended.end() + " without a reason");
    int truth = batchState.truth[BatchState.of(host)];
    int amiss =
        ActualHostState.STOPPED
            | ActualHostState.CORDONED
            | ActualHostState.CHANGED
            | ActualHostState.UNKNOWN;
    switch (ended.end()) {
      case UPGRADED, SKIPPED ->
          require(
              ActualHostState.is(truth, ActualHostState.ON_RELEASE)
                  && !ActualHostState.any(truth, amiss),
              "I5",
              host + " is called " + ended.end() + " as " + Traces.says(truth));
      case REVERTED, CANCELLED, REQUEUED -> {
        boolean updated = ActualHostState.is(truth, ActualHostState.UPDATED);
        require(
            !ActualHostState.any(truth, updated ? amiss : amiss & ~ActualHostState.CHANGED)
                && (!updated || ActualHostState.is(truth, ActualHostState.TAKEN_BACK)),
            "I5",
            host + " is called " + ended.end() + " as " + Traces.says(truth));
        require(
            updated || !ActualHostState.is(truth, ActualHostState.CHANGED),
            "REPAIRED-UNJUDGED",
            host + " is called " + ended.end() + " as " + Traces.says(truth));
      }
      case QUARANTINED -> {
        for (BatchJob batchJob : rows.jobs()) {
          require(
              !batchJob.host().equals(host) || batchJob.status() != JobStatus.CLAIMED,
              batchJob.hook() == 0 ? "QUIET" : "QUARANTINED-IN-HOOK",
              host + " is quarantined while a consumer has " + batchJob.id());
        }
      }
    }
    HarmRules.leaves(this, batchState, rows, host, ended.end());
  }

  private void publishes(BatchState batchState, BatchSnapshot rows, JobOrder order) {
    String host = order.host();
    String says = order.step().word() + " of " + host;
    int truth = batchState.truth[BatchState.of(host)];
    boolean back = rows.grant().turnedBack().isPresent();
    boolean reclaim = rows.grant().reclaim().isPresent();
    boolean hook = order.step() == Step.HOOK || order.step() == Step.UNHOOK;
    boolean changes =
        !hook && !order.step().reads() && order.repair().filter(RepairAction::reads).isEmpty();
    require(active(rows, host), "I8", says + ", which left the batch");
    require(!back || !order.step().leadsForward(), "BACK", says + " on the way back");
    require(
        !reclaim
            || !order.step().leadsForward()
            || order.step().reads()
            || (ActualHostState.is(truth, ActualHostState.UPDATED) && halfway(rows, host)),
        "RECLAIM",
        says + " after a lost run");
    if (changes && ActualHostState.is(truth, ActualHostState.UNKNOWN)) {
      broken(HarmRules.unknown(rows, order), says + ", whose state is unknown");
    }
    for (BatchJob batchJob : rows.jobs()) {
      require(
          !changes
              || batchJob.status() != JobStatus.CLAIMED
              || batchJob.hook() > 0
              || !batchJob.host().equals(host),
          "BUSY",
          says + " while a consumer has " + batchJob.id());
      require(
          hook
              || batchJob.ended()
              || batchJob.step() != order.step()
              || !batchJob.host().equals(host),
          "I6",
          says + " while an earlier one has not ended");
    }
    switch (order.step()) {
      case DRAIN -> {
        require(
            rows.grant().stage() == GrantStage.OPEN && batchState.is(BatchState.OPENED),
            "I4",
            says + " before the open check passed");
        HookRules.done(this, rows, Stage.BEFORE_UNDEPLOY, says);
      }
      case UPDATE -> {
        require(
            ActualHostState.is(truth, ActualHostState.STOPPED), "SERVING", says + ", which serves");
        updates(rows, says, order);
      }
      case RECOVER -> recovers(rows, host, truth, says, back);
      case UNCORDON -> {
        require(back, "I8", says + " on the way forward");
        require(
            ActualHostState.is(truth, ActualHostState.CORDONED)
                && !ActualHostState.is(truth, ActualHostState.STOPPED),
            "I8",
            says + ", which is " + Traces.says(truth));
      }
      case UNHOOK -> {
        int pre = rows.hooks().get(order.hook() - 1).pre().orElse(0);
        require(
            rows.jobs().stream()
                .anyMatch(
                    batchJob ->
                        batchJob.step() == Step.HOOK && batchJob.hook() == pre && batchJob.given()),
            "HOOKS",
            says + ": nothing is to be taken back");
      }
      case VERIFY, CORDON, HOOK, HEALTH, REPAIR -> {}
    }
    HarmRules.publishes(this, batchState, rows, order);
  }

  /** Whether the host was read since, and an update was begun there and is not complete. */
  private static boolean halfway(BatchSnapshot rows, String host) {
    List<BatchJob> own =
        rows.jobs().stream().filter(batchJob -> batchJob.host().equals(host)).toList();
    int updated =
        own.stream()
            .filter(batchJob -> batchJob.step() == Step.UPDATE && batchJob.given())
            .mapToInt(BatchJob::round)
            .max()
            .orElse(0);
    return own.stream()
        .filter(batchJob -> !rows.grant().blind() || batchJob.run() == rows.grant().run())
        .filter(batchJob -> batchJob.step() == Step.VERIFY && batchJob.round() > updated)
        .anyMatch(
            batchJob ->
                batchJob.status() == JobStatus.FAILED
                    && batchJob.told().begun().equals(Optional.of(true)));
  }

  private void updates(BatchSnapshot rows, String says, JobOrder order) {
    for (BatchHost host : rows.hosts()) {
      if (rows.grant().reclaim().isPresent() && !host.name().equals(order.host())) {
        continue;
      }
      boolean done = last(rows, Step.DRAIN, host.name()) || last(rows, Step.VERIFY, host.name());
      require(done, "I5", says + " before " + host.name() + " is drained");
    }
    if (!order.repairs()) {
      HookRules.done(this, rows, Stage.AFTER_UNDEPLOY, says);
    }
  }

  private void recovers(BatchSnapshot rows, String host, int truth, String says, boolean back) {
    if (back) {
      // Also one that stopped nothing may have taken instances out of rotation.
      boolean drained =
          rows.jobs().stream()
              .anyMatch(
                  batchJob ->
                      batchJob.step() == Step.DRAIN
                          && batchJob.host().equals(host)
                          && batchJob.given());
      require(
          !ActualHostState.is(truth, ActualHostState.UPDATED)
              && (ActualHostState.is(truth, ActualHostState.STOPPED)
                  || drained
                  || rows.grant().blind()),
          "I8",
          says + " on the way back, which is " + Traces.says(truth));
    } else {
      require(
          !ActualHostState.is(truth, ActualHostState.CHANGED)
              && (!ActualHostState.is(truth, ActualHostState.UPDATED)
                  || ActualHostState.any(
                      truth, ActualHostState.ON_RELEASE | ActualHostState.TAKEN_BACK)),
          "I5",
          says + ", which is " + Traces.says(truth));
      if (rows.grant().reclaim().isEmpty()) {
        HookRules.done(this, rows, Stage.BEFORE_DEPLOY, says);
      }
    }
  }

  /** Whether the last round of a step on a host is done. */
  private static boolean last(BatchSnapshot rows, Step step, String host) {
    return rows.jobs().stream()
        .filter(batchJob -> batchJob.step() == step && batchJob.host().equals(host))
        .reduce((_, later) -> later)
        .filter(BatchJob::done)
        .isPresent();
  }

  static boolean active(BatchSnapshot rows, String host) {
    return rows.hosts().stream().anyMatch(one -> one.name().equals(host));
  }

  /** The board gives out a job. */
  void claims(BatchState batchState, BatchJob batchJob) {
    boolean first =
        batchState.rows.jobs().stream()
            .noneMatch(
                one -> one.step() == Step.DRAIN && one.done() && one.run() == batchJob.run());
    require(
        batchJob.step() != Step.DRAIN
            || !first
            || (batchState.is(BatchState.OPENED) && !batchState.is(BatchState.STALE)),
        "I4",
        batchJob.id() + " is given out by a verdict that is too old");
  }

  /** Whether time alone changes what becomes of it. */
  private static boolean timed(BatchSnapshot rows, Decision asked) {
    return asked.is(Decision.Kind.REPAIR_APPROVAL)
        || (asked.is(Decision.Kind.LATE_DRAIN) && rows.grant().turnedBack().isEmpty());
  }

  /** Nothing more can be done. */
  void atRest(BatchState batchState, List<Action> actions) {
    BatchSnapshot rows = batchState.rows;
    boolean timed =
        rows.checks().stream().anyMatch(check -> check.requested() && awaited(rows, check.kind()))
            || rows.decisions().stream().anyMatch(one -> one.open() && timed(rows, one));
    boolean looks =
        !actions.isEmpty()
            && actions.getLast() instanceof Action.Wait(var until, String _)
            && until.isPresent();
    require(
        !timed || looks || !rows.grant().alive() || rows.grant().aborted(),
        "LOOK",
        "it waits for an answer, and does not look again");
    for (BatchJob batchJob : rows.jobs()) {
      boolean pending = batchJob.status() == JobStatus.PENDING && rows.grant().alive();
      // What takes hooks back waits for hosts that are brought back anew, and is adopted then.
      boolean waits = batchJob.step() == Step.UNHOOK;
      require(
          !pending || waits || batchJob.run() == rows.grant().run() || rows.grant().aborted(),
          active(rows, batchJob.host()) ? "ADOPT" : "LEFT-JOB-AWAITED",
          "nobody may take " + batchJob.id() + " of a run that is over");
      require(
          !pending || rows.grant().turnedBack().isEmpty() || !batchJob.step().leadsForward(),
          "BACK",
          batchJob.id() + " is on the board on the way back");
    }
  }

  private static boolean awaited(BatchSnapshot rows, Check.Kind kind) {
    return rows.grant().turnedBack().isEmpty()
        && rows.checks().stream()
            .anyMatch(check -> check.kind() == kind && check.refusal(rows.now()).isEmpty());
  }

  /** The hold of a batch was ended. */
  void holdOver(BatchState batchState) {
    require(!batchState.rows.grant().alive(), "HOLD", "the hold ends before the batch");
    for (int host = 0; host < batchState.ends.length; host++) {
      boolean quarantined = batchState.ends[host] == 1 + HostEnd.QUARANTINED.ordinal();
      require(
          batchState.ends[host] != 0, "HOLD", "the hold ends while h" + (host + 1) + " is in it");
      require(
          quarantined == (batchState.locks[host] == BatchState.QUARANTINED),
          batchState.is(BatchState.DIED_LOCKED) ? "LOCK-LEFT" : "LOCK",
          "h%d ends with the lock %d".formatted(host + 1, batchState.locks[host]));
    }
  }
}
