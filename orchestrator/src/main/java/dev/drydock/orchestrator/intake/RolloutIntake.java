package dev.drydock.orchestrator.intake;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.intake.Planning.Planned;
import dev.drydock.orchestrator.intake.Submission.Origin;
import dev.drydock.orchestrator.store.CanaryGates;
import dev.drydock.orchestrator.store.RefusedHosts;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import dev.drydock.proto.Json;
import java.sql.Timestamp;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Takes submissions in: rows, event and audit are one transaction, or nothing is. A host may be in
 * several running rollouts; its lock lets one after the other have it. Safe for use by many
 * threads.
 */
public final class RolloutIntake {
  private final Transactor transactor;
  private final PolicyCoverage policies;
  private final Planning planning;
  private final Consumer<String> created;

  /**
   * The intake.
   *
   * @param created called after a rollout was written, to start its workflow; must not fail
   */
  public RolloutIntake(
      Jdbi jdbi, PolicyCoverage policies, Planning planning, Consumer<String> created) {
    this.transactor = new Transactor(jdbi);
    this.policies = policies;
    this.planning = planning;
    this.created = created;
  }

  /**
   * The id of the new rollout, or of the one the same request made before.
   *
   * @throws ApiException 422 with all faults; 409 if the request id belongs to another submission,
   *     or if the plan it starts is stale, with what is different
   */
  public String submit(Principal principal, Submission submission) {
    Map<String, String> refused = new LinkedHashMap<>();
    try {
      String id =
          transactor.call(
              handle -> {
                refused.clear();
                Optional<String> earlier = earlier(handle, principal, submission);
                if (earlier.isPresent()) {
                  return earlier.get();
                }
                SubmissionCheck check =
                    new SubmissionCheck(submission, DowngradeCheck.isWanted(handle, submission));
                Planned planned = check.plan(handle, policies, planning);
                refused.putAll(check.refused());
                check.accept();
                return write(handle, principal, submission, check.hosts(), planned);
              });
      created.accept(id);
      return id;
    } catch (ApiException no) {
      // In a transaction of its own: of the submission nothing is kept.
      transactor.call(
          handle -> RefusedHosts.keep(handle, principal.name(), submission.release(), refused));
      throw no;
    }
  }

  /**
   * What would become of a submission by the facts of now; changes nothing.
   *
   * @throws ApiException 422 with what is wrong with it, infeasible hosts excepted
   */
  public Planned plan(Submission submission) {
    return transactor.call(
        handle -> {
          SubmissionCheck check = new SubmissionCheck(submission, false);
          Planned planned = check.plan(handle, policies, planning);
          check.acceptInfeasible();
          return planned;
        });
  }

  private static Optional<String> earlier(
      Handle handle, Principal principal, Submission submission) {
    if (submission.requestId().isEmpty() || submission.requestId().get().indexOf('\0') >= 0) {
      return Optional.empty();
    }
    // Two requests with one id come one after the other, so that the second finds the first.
    handle
        .createQuery("SELECT pg_advisory_xact_lock(hashtextextended('rollout ' || :id, 0))")
        .bind("id", submission.requestId().get())
        .mapToMap()
        .list();
    Optional<Earlier> found = find(handle, submission.requestId().get());
    found
        .filter(earlier -> !earlier.same(principal, submission))
        .ifPresent(
            earlier -> {
              throw ApiException.conflict(
                  "REQUEST_ID_REUSED",
                  "requestId "
                      + submission.requestId().get()
                      + " made rollout "
                      + earlier.id()
                      + ", which is another submission; choose a new one.");
            });
    return found.map(Earlier::id);
  }

  private record Earlier(
      String id,
      String requester,
      String release,
      String mode,
      String priority,
      String selector,
      List<String> hosts) {
    /** What a selector stood for then need not be what it stands for now. */
    boolean same(Principal principal, Submission submission) {
      return requester.equals(principal.name())
          && release.equals(submission.release())
          && mode.equals(submission.mode())
          && priority.equals(submission.priority())
          && selector.equals(submission.selector())
          && (!selector.isEmpty() || hosts.equals(submission.hosts()));
    }
  }

  private static Optional<Earlier> find(Handle handle, String requestId) {
    return Sql.find(
        handle,
        Earlier.class,
        """
        SELECT id, requester, release, mode, priority, selector,
               ARRAY(SELECT host FROM host_upgrades WHERE rollout = id ORDER BY position) AS hosts
        FROM rollouts WHERE request_id = :request
        """,
        Map.of("request", requestId));
  }

  private static String write(
      Handle handle,
      Principal principal,
      Submission submission,
      List<String> hosts,
      Planned planned) {
    String id =
        handle
            .createQuery(
                """
                INSERT INTO rollouts
                  (id, number, request_id, release, mode, priority, state, reason, requester, team,
                   start_at, change_ticket, selector, origin, origin_rollout)
                OVERRIDING SYSTEM VALUE
                SELECT 'r' || n, n, :request, :release, :mode, :priority,
                       CASE WHEN CAST(:startAt AS timestamptz) > clock_timestamp()
                            THEN 'Scheduled' ELSE 'Running' END,
                       :reason, :requester, :team, CAST(:startAt AS timestamptz), :changeTicket,
                       :selector, :origin, :originRollout
                FROM nextval(pg_get_serial_sequence('rollouts', 'number')) AS n
                RETURNING id
                """)
            .bind("request", submission.requestId().orElse(null))
            .bind("release", submission.release())
            .bind("mode", submission.mode())
            .bind("priority", submission.priority())
            .bind("reason", submission.reason())
            .bind("requester", principal.name())
            .bind("team", principal.team())
            .bind("startAt", submission.terms().startAt().map(Timestamp::from).orElse(null))
            .bind("changeTicket", submission.terms().changeTicket())
            .bind("selector", submission.selector())
            .bind(
                "origin", submission.terms().origin().map(from -> from.kind().name()).orElse(null))
            .bind("originRollout", submission.terms().origin().map(Origin::rollout).orElse(null))
            .mapTo(String.class)
            .one();
    insertHosts(handle, id, hosts, planned);
    CanaryGates.write(handle, id, planned.canaries());
    Map<String, Object> detail = new HashMap<>();
    detail.put("release", submission.release());
    detail.put("hosts", hosts);
    detail.put("reason", submission.reason());
    if (!submission.selector().isEmpty()) {
      detail.put("selector", submission.selector());
    }
    NewEvent.ofRollout(EventKind.RolloutCreated, id, detail).append(handle);
    AuditTrail.record(handle, principal, "rollout.create", "rollout/" + id, Json.writeTree(detail));
    WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
    return id;
  }

  /**
   * Hosts of a submission become part of a rollout that is there, behind all others. The caller
   * holds its lock.
   *
   * @throws ApiException 422 with all faults
   */
  public void join(Handle handle, String rollout, Submission submission) {
    SubmissionCheck check =
        new SubmissionCheck(submission, DowngradeCheck.isWanted(handle, rollout));
    Planned planned = check.plan(handle, policies, planning);
    check.accept();
    insertHosts(handle, rollout, check.hosts(), planned);
    CanaryGates.join(handle, rollout, planned.canaries());
  }

  private static void insertHosts(
      Handle handle, String rollout, List<String> hosts, Planned planned) {
    handle
        .createUpdate(
            """
            INSERT INTO host_upgrades (rollout, host, position, batch, state)
            SELECT :rollout, host, others.position + submitted.position,
                   others.batch + 1 + submitted.batch, 'Pending'
            FROM unnest(:hosts, :batches) WITH ORDINALITY AS submitted(host, batch, position),
                 (SELECT COALESCE(max(position), 0) AS position, COALESCE(max(batch), -1) AS batch
                  FROM host_upgrades WHERE rollout = :rollout) others
            """)
        .bind("rollout", rollout)
        .bindArray("hosts", String.class, hosts)
        .bindArray("batches", Integer.class, numbers(hosts, planned.batches()))
        .execute();
  }

  private static List<Integer> numbers(List<String> hosts, List<List<String>> batches) {
    Map<String, Integer> numbers = new HashMap<>();
    for (int number = 0; number < batches.size(); number++) {
      for (String host : batches.get(number)) {
        numbers.put(host, number);
      }
    }
    return hosts.stream()
        .map(
            host ->
                Objects.requireNonNull(
                    numbers.get(host), () -> host + " is in none of the batches"))
        .toList();
  }
}
