package dev.drydock.orchestrator.activity;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.jobs.Marks;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.orchestrator.store.ZoneClosure;
import dev.drydock.orchestrator.store.Zones;
import dev.drydock.platform.events.Event;
import dev.drydock.platform.store.Notifications;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/**
 * Writes the end of a batch inside a transaction that holds the lock of its grant: results first,
 * the hold after (protocol P8). Refuses to write what was not verified (I5).
 */
final class BatchEnd {
  private BatchEnd() {}

  static void record(Handle handle, GrantRow grant, Zones zones) {
    requireQuiet(handle, grant);
    boolean outgrown = ZoneClosure.grown(handle, grant, zones).isPresent();
    List<String> hosts = BatchHosts.active(handle, grant.id());
    Set<String> outcomes = new TreeSet<>();
    for (String host : hosts) {
      Optional<JobRow> needless = AtRelease.verified(handle, grant.id(), host);
      String outcome = needless.isPresent() ? "Skipped" : grant.undo().orElse("Upgraded");
      String reason =
          needless.map(job -> "nothing to do: " + job.message()).or(grant::undoReason).orElse("");
      if (needless.isEmpty()) {
        requireVerified(handle, grant, host);
      }
      switch (outcome) {
        case "Upgraded" -> upgraded(handle, grant, host);
        case "Held" -> BatchHosts.backOff(handle, grant, host, reason);
        default -> BatchHosts.finish(handle, grant.id(), host, outcome, reason);
      }
      outcomes.add(outcome);
      Event.ofHost(
              EventKind.valueOf("Host" + outcome),
              grant.rollout(),
              host,
              Map.of("grant", grant.id(), "reason", reason))
          .append(handle);
    }
    if (outgrown && outcomes.contains("Held")) {
      ZoneClosure.regroup(handle, grant.rollout(), zones);
    }
    handle
        .createUpdate(
            """
            UPDATE grants SET state = 'ended', end_state = :end, ended_at = clock_timestamp()
            WHERE id = :id
            """)
        .bind("end", endState(handle, grant, hosts, outcomes))
        .bind("id", grant.id())
        .execute();
    Wakeups.add(handle, WorkflowIds.rollout(grant.rollout()), grant.id());
    Notifications.notify(handle, Wakeups.GRANTOR_CHANNEL);
  }

  /** What people have to look after counts more than what was done, and that more than nothing. */
  private static String endState(
      Handle handle, GrantRow grant, List<String> hosts, Set<String> outcomes) {
    if (BatchHosts.anyQuarantined(handle, grant.id())) {
      return "Quarantined";
    }
    // Those left of a reclaimed batch had not been updated when its run was lost, the others were.
    if (hosts.isEmpty()) {
      return "Upgraded";
    }
    return outcomes.equals(Set.of("Skipped")) ? "Skipped" : grant.undo().orElse("Upgraded");
  }

  static void upgraded(Handle handle, GrantRow grant, String host) {
    BatchHosts.finish(handle, grant.id(), host, "Upgraded", "");
    Marks.release(handle, host, release(handle, grant.rollout()));
  }

  private static String release(Handle handle, String rollout) {
    return handle
        .createQuery("SELECT release FROM rollouts WHERE id = :id")
        .bind("id", rollout)
        .mapTo(String.class)
        .one();
  }

  private static void requireQuiet(Handle handle, GrantRow grant) {
    List<String> live =
        handle
            .createQuery(
                "SELECT id FROM jobs WHERE grant_id = :grant AND state IN ('Pending', 'Claimed')")
            .bind("grant", grant.id())
            .mapTo(String.class)
            .list();
    if (!live.isEmpty()) {
      throw new IllegalStateException(
          "grant " + grant.id() + " cannot end: " + live + " still run");
    }
  }

  private static void requireVerified(Handle handle, GrantRow grant, String host) {
    Optional<JobStep> last =
        grant.undo().isEmpty() ? Optional.of(JobStep.Recover) : undoStep(handle, grant, host);
    boolean verified =
        last.isEmpty()
            || JobRow.last(handle, grant.id(), last.get(), host)
                .filter(job -> job.state() == JobState.Done)
                .isPresent();
    if (!verified) {
      throw new IllegalStateException(
          "grant " + grant.id() + " cannot end: " + last.get() + " of " + host + " is not done");
    }
  }

  private static Optional<JobStep> undoStep(Handle handle, GrantRow grant, String host) {
    Undo undo =
        Undo.of(
            JobRow.last(handle, grant.id(), JobStep.Freeze, host),
            JobRow.lastGiven(handle, grant.id(), JobStep.Drain, host));
    return switch (undo) {
      case Undo.Nothing() -> Optional.empty();
      case Undo.By(JobStep step) -> Optional.of(step);
      case Undo.NotYet() -> throw new IllegalStateException(host + " is still being worked on");
      case Undo.Impossible(String reason) -> throw new IllegalStateException(reason);
    };
  }
}
