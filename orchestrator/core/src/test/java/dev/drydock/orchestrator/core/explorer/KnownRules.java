package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.Job;
import dev.drydock.orchestrator.core.model.JobOrder;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.model.Word;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What should hold and does not yet. The test tells which of these are broken today. */
final class KnownRules {
  private KnownRules() {}

  /** A host leaves its batch. */
  static void leaves(Rules rules, World world, BatchSnapshot rows, String host, HostEnd end) {
    boolean asHoped = end == HostEnd.UPGRADED || end == HostEnd.SKIPPED;
    boolean touched = Truth.is(world.truth[World.of(host)], Truth.TOUCHED);
    if (end == HostEnd.QUARANTINED && !touched && !world.is(World.TAKEN)) {
      rules.broken("UNTOUCHED-QUARANTINED", host + " is quarantined, and nobody touched it");
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

  /** Whether nothing went wrong but that nobody claimed jobs. */
  private static boolean onlyUnclaimed(BatchSnapshot rows) {
    boolean unclaimed = false;
    for (Job job : rows.jobs()) {
      if (job.status() == JobStatus.EXPIRED && !job.given()) {
        unclaimed = true;
      } else if (job.ended()
          && job.status() != JobStatus.DONE
          && job.status() != JobStatus.CANCELLED
          && job.step() != Step.VERIFY) {
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
  static void publishes(Rules rules, BatchSnapshot rows, JobOrder order) {
    Optional<RepairAction> action = action(rows, order);
    if (action.isEmpty()) {
      return;
    }
    String word = action.get().word();
    boolean signed =
        rows.approvals().stream()
            .filter(one -> one.host().equals(order.host()))
            .anyMatch(one -> one.approved().equals(Optional.of(true)));
    if (!signed) {
      String why = word + " of " + order.host() + " is signed by nobody";
      rules.broken("UNSIGNED-REPAIR", why);
      boolean needed =
          rows.hosts().stream()
              .flatMap(host -> host.ladder().approve().stream())
              .anyMatch(rung -> rung.word().equals(word));
      if (needed) {
        rules.broken("SIGNED", why + ", and policies want it");
      }
    }
  }

  /** The rule of a job for a host whose state is unknown. */
  static String unknown(BatchSnapshot rows, JobOrder order) {
    Job lost =
        rows.jobs().stream()
            .filter(job -> job.host().equals(order.host()) && job.lost() && !Truth.reads(job))
            .reduce((_, later) -> later)
            .orElseThrow();
    boolean repairs =
        rows.remediations().stream()
            .flatMap(one -> one.taken().stream())
            .anyMatch(taken -> taken.job().equals(lost.id()));
    if (repairs) {
      return "UNKNOWN-REPAIR-RETRIED";
    }
    boolean again =
        rows.grant().reclaim().isPresent()
            && order.step() == Step.RECOVER
            && lost.step() == Step.RECOVER
            && lost.run() < rows.grant().run();
    return again ? "SILENT-RECOVERY-REPEATED" : "P9";
  }

  /** What a job of a remediation changes on the host. */
  private static Optional<RepairAction> action(BatchSnapshot rows, JobOrder order) {
    if (!order.repairs()) {
      return Optional.empty();
    }
    return order
        .repair()
        .map(word -> Word.of(RepairAction.class, word))
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

  /** These, by name: what is to hold. */
  static final SortedMap<String, String> ALL =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry(
                  "BARRED-WAITS",
                  "no batch that people break into waits for a repair that nobody is given"),
              Map.entry(
                  "LEFT-JOB-AWAITED",
                  "no batch waits for a job of a host that left it, which nobody may take"),
              Map.entry("LOCK-LEFT", "no host whose lock became a quarantine ends otherwise"),
              Map.entry(
                  "QUARANTINED-IN-HOOK",
                  "no host is quarantined while a consumer has a hook of it"),
              Map.entry(
                  "REPAIRED-UNJUDGED",
                  "no host that a repair changed serves again before its health was judged"),
              Map.entry(
                  "SILENT-RECOVERY-REPEATED",
                  "no recovery is asked for again before its host was read"),
              Map.entry(
                  "UNCLAIMED-ENDS", "no job ends the way of a host because nobody claimed it"),
              Map.entry(
                  "UNKNOWN-REPAIR-RETRIED",
                  "no step is tried again on a host of which a repair is unknown"),
              Map.entry(
                  "UNSIGNED-REPAIR", "no repair changes a host without a signature that names it"),
              Map.entry("UNTOUCHED-QUARANTINED", "no host that nobody touched is quarantined"),
              Map.entry(
                  "UNTOUCHED-UNCLAIMED",
                  "no host that nobody touched ends failed because nobody claimed a job")));
}
