package dev.drydock.orchestrator.batch;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.jobs.EffectMarks;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.SupersededHosts;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.orchestrator.store.ZoneClosure;
import dev.drydock.orchestrator.store.ZonePolicy;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * Writes how hosts leave their batch, and how the batch ends. The transaction holds the lock of the
 * grant. Results are written first, the hold ends after that (protocol P8).
 */
public final class EndWriter {
  /**
   * Ends that no failure budget counts. That there is one more of them can wait for a moment, as
   * long as others follow.
   */
  private static final Set<HostEnd> AS_HOPED =
      EnumSet.of(HostEnd.UPGRADED, HostEnd.SKIPPED, HostEnd.REQUEUED);

  private final Handle handle;
  private final GrantRow grant;

  /** Writes for one grant, whose lock the transaction of the handle holds. */
  public EndWriter(Handle handle, GrantRow grant) {
    this.handle = handle;
    this.grant = grant;
  }

  /** A host is in the hands of people from now on. Its lock says so already, or will. */
  public void quarantined(String host, String reason) {
    BatchHosts.finish(handle, grant.id(), host, HostEnd.QUARANTINED.word(), reason);
    // What was done to it, somebody may not have told.
    EffectMarks.effectNow(handle, host);
    Wakeups.add(handle, WorkflowIds.rollout(grant.rollout()), host);
    tell(host, HostEnd.QUARANTINED, reason);
  }

  /** A host went all the way, and leaves the batch before the others. */
  void returned(String host, HostEnd end, String reason) {
    leave(host, end, reason, true);
  }

  /**
   * Ends the batch.
   *
   * @param back whether it was on its way back: none of its hosts went all the way
   */
  void end(Action.EndBatch end, boolean back, ZonePolicy zonePolicy) {
    requireQuiet();
    boolean outgrown = ZoneClosure.grown(handle, grant, zonePolicy).isPresent();
    Set<HostEnd> ends = EnumSet.noneOf(HostEnd.class);
    new TreeMap<>(end.ends())
        .forEach(
            (host, how) -> {
              leave(host, how.end(), how.reason(), !back);
              ends.add(how.end());
            });
    if (outgrown && ends.contains(HostEnd.REQUEUED)) {
      ZoneClosure.regroup(handle, grant.rollout(), zonePolicy);
    }
    Sql.update(
        handle,
        """
        UPDATE grants SET state = 'ended', end_state = :end, ended_at = clock_timestamp()
        WHERE id = :id
        """,
        Map.of("end", end.end().word(), "id", grant.id()));
    boolean asHoped = end.ends().size() == grant.hosts().size() && AS_HOPED.containsAll(ends);
    if (asHoped && BatchHosts.anyOpen(handle, grant.rollout())) {
      Wakeups.soon(handle, WorkflowIds.rollout(grant.rollout()), grant.id());
    } else {
      Wakeups.add(handle, WorkflowIds.rollout(grant.rollout()), grant.id());
    }
    WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
  }

  private void leave(String host, HostEnd end, String reason, boolean allTheWay) {
    switch (end) {
      case REQUEUED -> BatchHosts.backOff(handle, grant, host, reason);
      case UPGRADED -> {
        // How it came back is told; a host that is upgraded needs no reason.
        BatchHosts.finish(handle, grant.id(), host, end.word(), "");
        verified(host);
      }
      case REVERTED -> {
        BatchHosts.finish(handle, grant.id(), host, end.word(), reason);
        if (allTheWay) {
          takenBack(host);
        }
      }
      case SKIPPED, CANCELLED -> BatchHosts.finish(handle, grant.id(), host, end.word(), reason);
      case QUARANTINED -> throw new IllegalArgumentException(host + " does not leave its batch so");
    }
    tell(host, end, reason);
  }

  /** The host is on the release that the work was about. */
  private void verified(String host) {
    Sql.update(
        handle,
        """
        UPDATE hosts h SET release = r.release
        FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout
        WHERE h.name = :host AND u.host = h.name AND u.grant_id = :grant
        """,
        Map.of("host", host, "grant", grant.id()));
    SupersededHosts.skipWaiting(handle, host);
  }

  /**
   * The host is on the release that it was taken back to; one that was not touched is as it was.
   */
  private void takenBack(String host) {
    Sql.update(
        handle,
        """
        UPDATE hosts h SET release = u.back_to FROM host_upgrades u
        WHERE h.name = :host AND u.host = h.name AND u.grant_id = :grant AND u.back_to IS NOT NULL
        """,
        Map.of("host", host, "grant", grant.id()));
    SupersededHosts.skipWaiting(handle, host);
  }

  private void tell(String host, HostEnd end, String reason) {
    NewEvent.ofHost(
            EventKind.valueOf("Host" + end.word()),
            grant.rollout(),
            host,
            Map.of("grant", grant.id(), "reason", reason))
        .append(handle);
  }

  private void requireQuiet() {
    List<String> live =
        Sql.texts(
            handle,
            "SELECT id FROM jobs WHERE grant_id = :grant AND state IN ('Pending', 'Claimed')",
            Map.of("grant", grant.id()));
    if (!live.isEmpty()) {
      throw new IllegalStateException(
          "grant " + grant.id() + " cannot end: " + live + " still run");
    }
  }
}
