package dev.drydock.orchestrator.activity;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.hooks.HookCourse;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.jobs.Marks;
import dev.drydock.orchestrator.jobs.SinceChanged;
import dev.drydock.orchestrator.remediation.Remediations;
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
  /**
   * Ends that no failure budget counts: that there is one more of them can wait for a moment, as
   * long as others follow.
   */
  private static final Set<String> AS_HOPED = Set.of("Upgraded", "Skipped", "Held");

  private BatchEnd() {}

  static void record(Handle handle, GrantRow grant, Zones zones) {
    requireQuiet(handle, grant);
    requireHooks(handle, grant);
    boolean outgrown = ZoneClosure.grown(handle, grant, zones).isPresent();
    List<String> hosts = BatchHosts.active(handle, grant.id());
    Set<String> outcomes = new TreeSet<>();
    for (String host : hosts) {
      outcomes.add(record(handle, grant, host));
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
    boolean asHoped = hosts.size() == grant.hosts().size() && AS_HOPED.containsAll(outcomes);
    if (asHoped && BatchHosts.anyOpen(handle, grant.rollout())) {
      Wakeups.soon(handle, WorkflowIds.rollout(grant.rollout()), grant.id());
    } else {
      Wakeups.add(handle, WorkflowIds.rollout(grant.rollout()), grant.id());
    }
    Notifications.notify(handle, Wakeups.GRANTOR_CHANNEL);
  }

  /** How it ended. */
  private static String record(Handle handle, GrantRow grant, String host) {
    Optional<JobRow> needless = AtRelease.verified(handle, grant.id(), host);
    if (needless.isEmpty()) {
      requireVerified(handle, grant, host);
      if (grant.undo().isEmpty()) {
        return returned(handle, grant, host, "");
      }
    }
    String outcome = needless.isPresent() ? "Skipped" : grant.undo().orElseThrow();
    String reason =
        needless.map(job -> "nothing to do: " + job.message()).or(grant::undoReason).orElse("");
    if (outcome.equals("Held")) {
      BatchHosts.backOff(handle, grant, host, reason);
    } else {
      BatchHosts.finish(handle, grant.id(), host, outcome, reason);
    }
    tell(handle, grant, host, outcome, reason);
    return outcome;
  }

  /**
   * A host went all the way and serves again: on the release of its rollout, or on the one it was
   * taken back to as nothing else helped.
   *
   * @param says how that came about, where it is not as always
   * @return how it ended
   */
  static String returned(Handle handle, GrantRow grant, String host, String says) {
    Optional<String> back = BatchHosts.backTo(handle, grant.id(), host);
    String outcome = back.isPresent() ? "Reverted" : "Upgraded";
    String why =
        back.map(
                release ->
                    "taken back to release " + release + Remediations.why(handle, grant, host))
            .orElse("");
    BatchHosts.finish(handle, grant.id(), host, outcome, why);
    Marks.release(handle, host, back.orElseGet(() -> release(handle, grant.rollout())));
    tell(handle, grant, host, outcome, why.isEmpty() ? says : why);
    return outcome;
  }

  private static void tell(
      Handle handle, GrantRow grant, String host, String outcome, String reason) {
    Event.ofHost(
            EventKind.valueOf("Host" + outcome),
            grant.rollout(),
            host,
            Map.of("grant", grant.id(), "reason", reason))
        .append(handle);
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
    return outcomes.size() == 1 ? outcomes.iterator().next() : grant.undo().orElse("Upgraded");
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

  private static void requireHooks(Handle handle, GrantRow grant) {
    if (grant.hooked()) {
      List<String> hosts = BatchHosts.active(handle, grant.id());
      HookCourse course = new HookCourse(handle, grant);
      List<String> open =
          grant.undo().isEmpty()
              ? course.ahead(hosts)
              : course.open(hosts).values().stream().flatMap(List::stream).toList();
      if (!open.isEmpty()) {
        throw new IllegalStateException(
            "grant " + grant.id() + " cannot end: " + open + " are not done");
      }
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
    if (grant.undo().isEmpty() && !SinceChanged.healthy(handle, grant.id(), host)) {
      throw new IllegalStateException(
          "grant "
              + grant.id()
              + " cannot end: health of "
              + host
              + " did not pass since it was changed");
    }
  }

  private static Optional<JobStep> undoStep(Handle handle, GrantRow grant, String host) {
    return switch (WayBack.undo(handle, grant, host)) {
      case Undo.Nothing() -> Optional.empty();
      case Undo.By(JobStep step) -> Optional.of(step);
      case Undo.NotYet() -> throw new IllegalStateException(host + " is still being worked on");
      case Undo.Impossible(String reason) ->
          throw new IllegalStateException(
              "grant " + grant.id() + " cannot end: " + host + ": " + reason);
    };
  }
}
