package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.JobOrder;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.NamedConstant;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What is never done to a host that is not to blame for it. */
final class HarmRules {
  private static final Set<Step> DIAGNOSED = Set.of(Step.UPDATE, Step.HEALTH, Step.RECOVER);

  /** How a job ends that did not do what it was to do. */
  private static final Set<JobStatus> BAD =
      Set.of(JobStatus.FAILED, JobStatus.UNKNOWN, JobStatus.EXPIRED, JobStatus.VETOED);

  private HarmRules() {}

  /** A host leaves its batch. */
  static void leaves(
      Rules rules, BatchState batchState, BatchSnapshot rows, String host, HostEnd end) {
    // Who is held waits again: that is no end.
    boolean asHoped = end == HostEnd.UPGRADED || end == HostEnd.SKIPPED || end == HostEnd.REQUEUED;
    boolean touched =
        ActualHostState.is(batchState.truth[BatchState.of(host)], ActualHostState.TOUCHED);
    if (end == HostEnd.QUARANTINED && !rows.grant().aborted() && !keptAside(rows, host)) {
      rules.require(
          hooksLost(rows) || ((touched || unread(rows, host)) && harmed(batchState, rows, host)),
          "UNTOUCHED-QUARANTINED",
          host + " is quarantined, and nothing that was begun on it ended badly");
    }
    if (end == HostEnd.REVERTED) {
      rules.require(
          failed(rows, host),
          "UNTOUCHED-FAILED",
          host + " ends Reverted, and nothing that was begun ended badly");
    }
    if (end == HostEnd.QUARANTINED && mayBeDiagnosed(rows)) {
      rules.require(
          !ActualHostState.is(batchState.truth[BatchState.of(host)], ActualHostState.UPDATED)
              || diagnosed(rows, host),
          "UNDIAGNOSED",
          host + " is quarantined, and nobody found out what it has since it failed");
    }
    if (asHoped || !onlyUnclaimed(rows)) {
      return;
    }
    rules.broken("UNCLAIMED-ENDS", host + " ends " + end + " as nobody claimed a job");
    if (!touched && (end == HostEnd.REVERTED || end == HostEnd.QUARANTINED)) {
      rules.broken(
          "UNTOUCHED-UNCLAIMED",
          host + " ends " + end + " as nobody claimed a job, and nobody touched it");
    }
  }

  /** Whether the batch goes on, its run and its rows are known, and people left its hosts to it. */
  private static boolean mayBeDiagnosed(BatchSnapshot rows) {
    return !rows.grant().aborted()
        && rows.grant().turnedBack().isEmpty()
        && rows.grant().reclaim().isEmpty()
        && !rows.grant().blind();
  }

  /**
   * Whether each step that failed on the updated host was followed by a diagnosis that ended.
   * Rounds of it that people ordered since are not diagnosed once more, nor is what was tried.
   */
  private static boolean diagnosed(BatchSnapshot rows, String host) {
    List<BatchJob> own =
        rows.jobs().stream().filter(batchJob -> batchJob.host().equals(host)).toList();
    int found =
        own.stream()
            .filter(batchJob -> batchJob.ended() && batchJob.given())
            .filter(
                batchJob ->
                    batchJob.repair().filter(RepairAction.DIAGNOSE.word()::equals).isPresent())
            .mapToInt(BatchJob::round)
            .max()
            .orElse(0);
    return own.stream()
        .filter(
            batchJob -> DIAGNOSED.contains(batchJob.step()) && batchJob.ended() && !batchJob.done())
        .filter(batchJob -> batchJob.given() && !batchJob.untouched() && !tried(rows, batchJob))
        .collect(Collectors.toMap(BatchJob::step, BatchJob::round, Math::min))
        .values()
        .stream()
        .allMatch(failed -> failed < found);
  }

  /**
   * Whether the host may count as one that failed: people ended its batch, only people can mend
   * what keeps it, or a hook or something that was begun ended badly in its batch. A host that was
   * not drained in time, and on which nothing was begun, does not pay for the others.
   */
  private static boolean failed(BatchSnapshot rows, String host) {
    List<BatchJob> bad =
        rows.jobs().stream().filter(batchJob -> BAD.contains(batchJob.status())).toList();
    boolean late =
        lastDrain(rows, host)
            .filter(
                batchJob -> batchJob.untouched() && batchJob.told().cause().equals("not-drained"))
            .isPresent();
    boolean refused =
        bad.stream()
            .filter(batchJob -> batchJob.host().equals(host) && batchJob.untouched())
            .anyMatch(batchJob -> batchJob.told().mend().equals(Optional.of(Mend.PEOPLE)));
    boolean begun =
        bad.stream()
            .filter(batchJob -> batchJob.step() != Step.VERIFY)
            .anyMatch(batchJob -> batchJob.hook() > 0 || !batchJob.untouched());
    return rows.aborted().isPresent() || rows.grant().aborted() || refused || (begun && !late);
  }

  /** Whether policies or people said that the host is kept aside, as it was not drained in time. */
  private static boolean keptAside(BatchSnapshot rows, String host) {
    Optional<String> last = lastDrain(rows, host).map(BatchJob::id);
    return rows.decisions().stream()
        .filter(one -> last.filter(one.jobs()::contains).isPresent())
        .anyMatch(one -> one.answered(Option.QUARANTINE));
  }

  private static Optional<BatchJob> lastDrain(BatchSnapshot rows, String host) {
    return rows.jobs().stream()
        .filter(batchJob -> batchJob.step() == Step.DRAIN && batchJob.host().equals(host))
        .reduce((_, later) -> later);
  }

  /** Whether rows were lost that would tell which hooks ran about the host. */
  private static boolean hooksLost(BatchSnapshot rows) {
    return rows.grant().hooksForgotten() || (rows.grant().blind() && rows.grant().runsHooks());
  }

  /**
   * Whether rows were lost that would tell what was done to the host, and it could not be read or
   * is not well.
   */
  private static boolean unread(BatchSnapshot rows, String host) {
    return rows.grant().blind()
        && rows.jobs().stream()
            .filter(
                batchJob -> batchJob.host().equals(host) && batchJob.ended() && !batchJob.done())
            .anyMatch(
                batchJob ->
                    batchJob.step() == Step.HEALTH
                        || (batchJob.step() == Step.VERIFY && batchJob.lost()));
  }

  /** Whether something ended badly that was begun on the host, or that hooks did about it. */
  private static boolean harmed(BatchState batchState, BatchSnapshot rows, String host) {
    boolean halves =
        rows.grant().reclaim().isPresent()
            && ActualHostState.is(batchState.truth[BatchState.of(host)], ActualHostState.UPDATED);
    return halves
        || rows.jobs().stream()
            .filter(batchJob -> batchJob.ended() && !batchJob.done() && !batchJob.untouched())
            .anyMatch(batchJob -> batchJob.hook() > 0 || batchJob.host().equals(host));
  }

  /** Whether nothing went wrong but that nobody claimed jobs. */
  private static boolean onlyUnclaimed(BatchSnapshot rows) {
    boolean unclaimed = false;
    for (BatchJob batchJob : rows.jobs()) {
      if (batchJob.status() == JobStatus.EXPIRED && !batchJob.given()) {
        unclaimed = true;
      } else if (batchJob.ended()
          && batchJob.status() != JobStatus.DONE
          && batchJob.status() != JobStatus.CANCELLED
          && batchJob.step() != Step.VERIFY) {
        return false;
      }
    }
    return unclaimed
        && rows.aborted().isEmpty()
        && !rows.grant().aborted()
        && rows.grant().reclaim().isEmpty()
        && rows.checks().stream().allMatch(check -> check.refusal(rows.now()).isEmpty());
  }

  /** A job is put on the board. */
  static void publishes(Rules rules, BatchState batchState, BatchSnapshot rows, JobOrder order) {
    Optional<RepairAction> action = action(rows, order);
    if (action.isEmpty()) {
      return;
    }
    String word = action.get().word();
    String why = word + " of " + order.host();
    boolean approved =
        rows.decisions().stream()
            .filter(one -> one.answered(Option.APPROVE) && one.hosts().contains(order.host()))
            .map(Decision::subject)
            .anyMatch(
                asked ->
                    asked instanceof Decision.RepairApproval(Rung rung, String _)
                        && rung.word().equals(word));
    boolean signed = approved || !found(rows, order, "signature").equals("unknown");
    rules.require(signed, "UNSIGNED-REPAIR", why + ", of which nobody knows what it has");
    boolean needed =
        rows.hosts().stream()
            .flatMap(host -> host.ladder().approve().stream())
            .anyMatch(rung -> rung.word().equals(word));
    rules.require(approved || !needed, "SIGNED", why + " is approved by nobody");
    boolean forces =
        action.get() == RepairAction.POWER_CYCLE
            || action.get() == RepairAction.ROLL_BACK
            || action.get() == RepairAction.REIMAGE;
    rules.require(
        !forces || found(rows, order, "others").isEmpty(),
        "OTHERS-FORCED",
        why + " while others work there");
    rules.require(
        ActualHostState.is(batchState.truth[BatchState.of(order.host())], ActualHostState.UPDATED),
        "UNTOUCHED-REPAIRED",
        why + ", on which no update began");
  }

  /** What the last diagnosis of the host found. */
  private static String found(BatchSnapshot rows, JobOrder order, String fact) {
    return rows.jobs().stream()
        .filter(batchJob -> batchJob.host().equals(order.host()) && batchJob.done())
        .filter(
            batchJob -> batchJob.repair().filter(RepairAction.DIAGNOSE.word()::equals).isPresent())
        .reduce((_, later) -> later)
        .map(batchJob -> batchJob.facts().getOrDefault("diagnosis." + fact, ""))
        .orElse(fact.equals("signature") ? "unknown" : "");
  }

  /** The rule of a job for a host whose state is unknown. */
  static String unknown(BatchSnapshot rows, JobOrder order) {
    BatchJob lost =
        rows.jobs().stream()
            .filter(
                batchJob ->
                    batchJob.host().equals(order.host()) && batchJob.lost() && !batchJob.reads())
            .reduce((_, later) -> later)
            .orElseThrow();
    if (tried(rows, lost)) {
      return "UNKNOWN-REPAIR-RETRIED";
    }
    boolean again =
        rows.grant().reclaim().isPresent()
            && order.step() == Step.RECOVER
            && lost.step() == Step.RECOVER
            && lost.run() < rows.grant().run();
    return again ? "SILENT-RECOVERY-REPEATED" : "P9";
  }

  /** Whether a remediation did the job. */
  private static boolean tried(BatchSnapshot rows, BatchJob batchJob) {
    return rows.remediations().stream()
        .flatMap(one -> one.taken().stream())
        .anyMatch(taken -> taken.job().equals(batchJob.id()));
  }

  /** What a job of a remediation changes on the host. */
  private static Optional<RepairAction> action(BatchSnapshot rows, JobOrder order) {
    if (!order.repairs()) {
      return Optional.empty();
    }
    return order
        .repair()
        .map(word -> NamedConstant.of(RepairAction.class, word))
        .or(
            () ->
                switch (order.step()) {
                  case DRAIN -> Optional.of(RepairAction.RESTART_SERVICE);
                  case UPDATE ->
                      order.topic().endsWith("/Reimage")
                          ? Optional.of(RepairAction.REIMAGE)
                          : backTo(rows, order.host());
                  default -> Optional.empty();
                })
        .filter(RepairAction::acts);
  }

  private static Optional<RepairAction> backTo(BatchSnapshot rows, String host) {
    return rows.hosts().stream()
        .filter(one -> one.name().equals(host) && one.backTo().isPresent())
        .map(_ -> RepairAction.ROLL_BACK)
        .findFirst();
  }
}
