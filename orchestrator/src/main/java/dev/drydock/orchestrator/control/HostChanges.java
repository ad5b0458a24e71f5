package dev.drydock.orchestrator.control;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.intake.FreeText;
import dev.drydock.orchestrator.intake.RolloutIntake;
import dev.drydock.orchestrator.intake.Submission;
import dev.drydock.orchestrator.intake.Submission.Terms;
import dev.drydock.orchestrator.inventory.NameRules;
import dev.drydock.orchestrator.store.ReasonParts;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.orchestrator.store.ZoneClosure;
import dev.drydock.orchestrator.store.ZonePolicy;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import dev.drydock.proto.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Hosts that join a rollout under way, or leave it before they begin. All of a request or none.
 * Asking again changes nothing: who is in already stays where it is, and who has left stays away.
 * Safe for use by many threads.
 */
public final class HostChanges {
  private final Transactor transactor;
  private final RolloutIntake intake;
  private final ZonePolicy zonePolicy;

  public HostChanges(Jdbi jdbi, RolloutIntake intake, ZonePolicy zonePolicy) {
    this.transactor = new Transactor(jdbi);
    this.intake = intake;
    this.zonePolicy = zonePolicy;
  }

  /**
   * Hosts join, after all that were there, judged as at a submission. They wait for the canaries
   * that others still wait for.
   *
   * @throws ApiException 404; 409 with its state if the rollout takes no hosts any more, or if one
   *     of the hosts has left it or ended in it; 422 with all faults of the hosts
   */
  public void add(Principal by, String rollout, List<String> hosts, String reason) {
    requireNames(hosts);
    transactor.call(
        handle -> {
          OpenRollout open = OpenRollout.lock(handle, rollout);
          Map<String, String> known = states(handle, rollout, hosts);
          List<String> ended =
              hosts.stream()
                  .filter(known::containsKey)
                  .filter(host -> !Set.of("Pending", "InProgress").contains(known.get(host)))
                  .map(host -> host + " (" + known.get(host) + ")")
                  .toList();
          List<String> joining = hosts.stream().filter(host -> !known.containsKey(host)).toList();
          if (joining.isEmpty() && ended.isEmpty()) {
            return false;
          }
          if (!open.takesHosts()) {
            throw open.refuses("take hosts");
          }
          if (!ended.isEmpty()) {
            throw ApiException.conflict(
                "HOST_ENDED",
                "in rollout %s these hosts have ended already: %s; retry them in another one."
                    .formatted(rollout, ReasonParts.names(ended)));
          }
          Submission submission =
              new Submission(
                  open.release(),
                  open.mode(),
                  joining,
                  "",
                  reason,
                  Optional.empty(),
                  open.priority(),
                  Optional.empty(),
                  Terms.NONE);
          intake.join(handle, rollout, submission);
          ZoneClosure.regroup(handle, rollout, zonePolicy);
          tell(handle, by, EventKind.RolloutHostsAdded, rollout, told(by, joining, reason));
          return true;
        });
  }

  /**
   * Hosts that have not begun leave: they end Cancelled.
   *
   * @throws ApiException 404; 409 with their states if a host is not in the rollout, or has begun;
   *     422 if no host is named, or something that cannot be one
   */
  public void remove(Principal by, String rollout, List<String> hosts, String reason) {
    requireNames(hosts);
    transactor.call(
        handle -> {
          OpenRollout.lock(handle, rollout);
          Set<String> left =
              cancel(handle, rollout, hosts, ReasonParts.by("removed", by.name(), reason));
          Map<String, String> states = states(handle, rollout, hosts);
          List<String> stay = new ArrayList<>();
          for (String host : new HashSet<>(hosts)) {
            String state = states.getOrDefault(host, "not in it");
            if (!state.equals("Cancelled")) {
              stay.add(host + " (" + state + ")");
            }
          }
          if (!stay.isEmpty()) {
            throw ApiException.conflict(
                "HOST_STATE",
                "only hosts that have not begun can leave rollout %s, and these cannot: %s; nothing was changed."
                    .formatted(rollout, ReasonParts.names(stay.stream().sorted().toList())));
          }
          if (left.isEmpty()) {
            return false;
          }
          tell(
              handle,
              by,
              EventKind.RolloutHostsRemoved,
              rollout,
              told(by, left.stream().sorted().toList(), reason));
          return true;
        });
  }

  /** Before the database sees them: it stores no NUL, and an empty list asks for nothing. */
  private static void requireNames(List<String> hosts) {
    if (hosts.isEmpty()) {
      throw ApiException.invalid(
          "NO_HOSTS",
          "the list of hosts is empty; name at least one",
          List.of(ApiException.detail("hosts", "is empty")));
    }
    List<ErrorDetail> faults = new ArrayList<>();
    for (int i = 0; i < hosts.size(); i++) {
      if (!NameRules.isName(hosts.get(i))) {
        faults.add(
            ApiException.detail(
                "hosts[" + i + "]", FreeText.shown(hosts.get(i)) + " is not the name of a host"));
      }
    }
    if (!faults.isEmpty()) {
      throw ApiException.invalid(
          "INVALID_HOSTS",
          faults.size() + " of the names cannot be those of hosts; nothing was changed.",
          faults);
    }
  }

  private static Set<String> cancel(
      Handle handle, String rollout, List<String> hosts, String reason) {
    Sql.texts(
        handle,
        """
        SELECT host FROM host_upgrades
        WHERE rollout = :rollout AND host = ANY(:hosts) ORDER BY host FOR NO KEY UPDATE
        """,
        Map.of("rollout", rollout, "hosts", hosts));
    return Set.copyOf(
        Sql.texts(
            handle,
            """
            UPDATE host_upgrades
            SET state = 'Cancelled', reason = :reason, ended_at = clock_timestamp()
            WHERE rollout = :rollout AND host = ANY(:hosts) AND state = 'Pending'
              AND grant_id IS NULL
            RETURNING host
            """,
            Map.of("reason", reason, "rollout", rollout, "hosts", hosts)));
  }

  private static Map<String, Object> told(Principal by, List<String> hosts, String reason) {
    return Map.of("hosts", hosts, "by", by.name(), "reason", reason);
  }

  private static void tell(
      Handle handle, Principal by, EventKind kind, String rollout, Map<String, Object> detail) {
    NewEvent.ofRollout(kind, rollout, detail).append(handle);
    String action =
        kind == EventKind.RolloutHostsAdded ? "rollout.addHosts" : "rollout.removeHosts";
    AuditTrail.record(handle, by, action, "rollout/" + rollout, Json.writeTree(detail));
    Wakeups.add(handle, WorkflowIds.rollout(rollout), action);
    WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
  }

  private static Map<String, String> states(Handle handle, String rollout, List<String> hosts) {
    return Sql.byName(
        handle,
        String.class,
        "SELECT host, state FROM host_upgrades WHERE rollout = :rollout AND host = ANY(:hosts)",
        Map.of("rollout", rollout, "hosts", hosts));
  }
}
