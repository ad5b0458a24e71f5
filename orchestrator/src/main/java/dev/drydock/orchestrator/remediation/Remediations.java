package dev.drydock.orchestrator.remediation;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Ladder;
import dev.drydock.orchestrator.batch.BatchPolicies;
import dev.drydock.orchestrator.batch.PoliciesInForce;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.jobs.Publication;
import dev.drydock.orchestrator.jobs.SinceChanged;
import dev.drydock.orchestrator.remediation.Course.Next;
import dev.drydock.orchestrator.remediation.RemediationRows.End;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.events.Event;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Remediations over PostgreSQL: a batch begins one where a step failed, its workflow advances it,
 * and the batch waits, its holds as they are, until it has ended. All of it may be repeated. Safe
 * for use by many threads.
 */
public final class Remediations {
  private final Jdbi jdbi;
  private final Transactor transactor;
  private final BatchPolicies policies;
  private final ServerConfig.Remediation limits;
  private final BiConsumer<String, String> begun;

  /**
   * Remediations by the policies in force.
   *
   * @param limits on all of them together
   * @param begun called with grant and host after one was begun, to start its workflow; may be
   *     called again, must not fail
   */
  public Remediations(
      Jdbi jdbi,
      BatchPolicies policies,
      ServerConfig.Remediation limits,
      BiConsumer<String, String> begun) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.policies = policies;
    this.limits = limits;
    this.begun = begun;
  }

  /** A step that failed on hosts, each with the reason. */
  public record Failed(JobStep step, Map<String, String> hosts) {
    public Failed {
      hosts = Map.copyOf(hosts);
    }
  }

  /**
   * What the policies let be tried on each of the hosts. To be asked outside of transactions:
   * policies are read over a connection of their own.
   */
  public Map<String, Ladder> ladders(Set<String> hosts) {
    Map<String, Set<String>> applications =
        jdbi.withHandle(handle -> applicationsOn(handle, hosts));
    PoliciesInForce now = policies.now();
    return hosts.stream()
        .collect(
            Collectors.toMap(
                host -> host, host -> now.ladder(applications.getOrDefault(host, Set.of()))));
  }

  private static Map<String, Set<String>> applicationsOn(Handle handle, Set<String> hosts) {
    return handle
        .createQuery(
            """
            SELECT host, application FROM instances
            WHERE host = ANY(:hosts) AND vanished_at IS NULL
            """)
        .bindArray("hosts", String.class, hosts)
        .map((row, _) -> Map.entry(row.getString("host"), row.getString("application")))
        .stream()
        .collect(
            Collectors.groupingBy(
                Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toSet())));
  }

  /**
   * Begins what is to be tried and was not, inside a transaction that holds the lock of the grant
   * for its run. A step is remediated once on a host, and nothing follows where nothing helped.
   *
   * @return hosts whose remediation is open
   */
  public static Set<String> take(
      Handle handle, GrantRow grant, Failed failed, Map<String, Ladder> ladders) {
    RemediationRows.adopt(handle, grant);
    Set<String> returnable = BatchHosts.returnable(handle, grant.id(), failed.hosts().keySet());
    return failed.hosts().entrySet().stream()
        .filter(
            broken ->
                open(
                    handle,
                    grant,
                    new Remediation(
                        grant.id(),
                        broken.getKey(),
                        failed.step(),
                        possible(
                            ladders.getOrDefault(broken.getKey(), Ladder.NONE),
                            returnable.contains(broken.getKey())),
                        broken.getValue(),
                        RemediationState.Open,
                        "")))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** Without what cannot be done to it. */
  private static Ladder possible(Ladder ladder, boolean returnable) {
    return returnable ? ladder : ladder.without(rung -> rung == Ladder.Rung.ROLL_BACK);
  }

  private static boolean open(Handle handle, GrantRow grant, Remediation wanted) {
    Optional<Remediation> last = RemediationRows.last(handle, grant.id(), wanted.host());
    if (last.isPresent() && last.get().state() != RemediationState.Resumed) {
      return last.get().open();
    }
    if (wanted.ladder().isEmpty()
        || RemediationRows.had(handle, grant.id(), wanted.host(), wanted.step())) {
      return false;
    }
    RemediationRows.begin(handle, wanted);
    Event.ofHost(
            EventKind.RemediationBegan,
            grant.rollout(),
            wanted.host(),
            Map.of("grant", grant.id(), "step", wanted.step().name(), "reason", wanted.reason()))
        .append(handle);
    return true;
  }

  /** To be called once what began it is committed. */
  public void start(String grant, Set<String> hosts) {
    hosts.forEach(host -> begun.accept(grant, host));
  }

  /** Grants and hosts with an open one: each has a workflow. */
  public List<Map.Entry<String, String>> open() {
    return jdbi.withHandle(RemediationRows::open);
  }

  /**
   * Whether as many hosts are mended as may be at once, or were so lately: others wait for their
   * turn.
   */
  public boolean crowded(Duration lately) {
    return limits.atOnce()
        <= jdbi.withHandle(handle -> RemediationRows.actingLately(handle, lately));
  }

  /** Why a host was taken back, as the end of a sentence; empty if that is not known. */
  public static String why(Handle handle, GrantRow grant, String host) {
    return RemediationRows.decisive(handle, grant.id(), host)
        .map(decisive -> ", as nothing else helped: " + decisive.reason())
        .orElse("");
  }

  /** What was tried in vain since a step failed, of its last job. */
  public static Optional<String> evidence(Handle handle, JobRow failed) {
    return RemediationRows.exhausted(handle, failed);
  }

  /** Whether it was done by a remediation, and not since then by whoever was asked. */
  public static boolean did(Handle handle, JobRow job) {
    return RemediationRows.did(handle, job);
  }

  /**
   * Does what is next.
   *
   * @return whether nothing is left to be done
   */
  public boolean advance(String grantId, String host) {
    return transactor.call(
        handle -> {
          GrantRow grant = GrantRow.lock(handle, grantId);
          Optional<Remediation> open =
              RemediationRows.last(handle, grantId, host).filter(Remediation::open);
          return open.isEmpty() || advance(handle, grant, open.get());
        });
  }

  private boolean advance(Handle handle, GrantRow grant, Remediation open) {
    JobRow failed = JobRow.last(handle, grant.id(), open.step(), open.host()).orElseThrow();
    List<Course.Taken> taken = RemediationRows.taken(handle, open);
    if (failed.state() == JobState.Done) {
      // Also where its batch saw that first, and is through.
      return resumed(handle, grant, open, taken);
    }
    if (!grant.alive() || !BatchHosts.active(handle, grant.id()).contains(open.host())) {
      return left(handle, grant, open, "its host was taken out of the batch");
    }
    if (grant.reclaim().isPresent() || grant.undo().isPresent()) {
      return left(handle, grant, open, "its batch does not go on");
    }
    if (grant.abort()) {
      // People are taking the host; no job would be given out.
      return false;
    }
    RemediationRows.adopt(handle, grant);
    if (!failed.ended() || Asking.waits(handle, grant, open)) {
      return false;
    }
    if (leadsNowhere(taken)) {
      BatchHosts.goBack(handle, grant.id(), open.host(), false);
    }
    Next next = Course.next(about(handle, open), taken);
    return switch (next) {
      case Next.Waiting() -> false;
      case Next.Do step when step.rung().isPresent() -> climb(handle, grant, open, taken, step);
      case Next.Do step -> begin(handle, grant, open, taken, step);
      case Next.Resumed() -> resumed(handle, grant, open, taken);
      case Next.Exhausted(String why) -> exhausted(handle, grant, open, taken, why);
    };
  }

  private static Course.About about(Handle handle, Remediation open) {
    return new Course.About(
        open.step(),
        open.ladder(),
        Approvals.refused(handle, open),
        SinceChanged.healthy(handle, open.grant(), open.host()));
  }

  /** A way back that failed: what follows is about the release of the rollout again. */
  private static boolean leadsNowhere(List<Course.Taken> taken) {
    return !taken.isEmpty()
        && taken.getLast().action() == Action.ROLL_BACK
        && taken.getLast().ended()
        && !taken.getLast().done();
  }

  private boolean climb(
      Handle handle, GrantRow grant, Remediation open, List<Course.Taken> taken, Next.Do step) {
    Ladder.Rung rung = open.ladder().rungs().get(step.rung().orElseThrow());
    if (open.ladder().approve().contains(rung) && !Approvals.approved(handle, open, rung)) {
      Asking.ask(handle, grant, open, rung, taken.getLast().says());
      return false;
    }
    Storm.Around around =
        RemediationRows.around(handle, grant, open.host(), signature(taken), limits.coolDown());
    return switch (Storm.rule(limits, around, step.action())) {
      case Storm.Ruling.GoOn() -> begin(handle, grant, open, taken, step);
      case Storm.Ruling.Wait(String why) -> waits(handle, grant, open, step, why);
      case Storm.Ruling.Stop(String why) -> exhausted(handle, grant, open, taken, why);
    };
  }

  private static boolean waits(
      Handle handle, GrantRow grant, Remediation open, Next.Do step, String why) {
    String says =
        "%s; remediation: %s waits, %s".formatted(open.reason(), step.action().word(), why);
    BatchHosts.says(handle, grant.id(), List.of(open.host()), says);
    return false;
  }

  private static boolean exhausted(
      Handle handle, GrantRow grant, Remediation open, List<Course.Taken> taken, String why) {
    String says = evidence(open, taken, why);
    return end(
        handle, grant, open, new End(RemediationState.Exhausted, says, signature(taken), false));
  }

  private static boolean resumed(
      Handle handle, GrantRow grant, Remediation open, List<Course.Taken> taken) {
    List<String> tried = tried(open, taken);
    String says = tried.isEmpty() ? "it ended well by itself" : tried.getLast() + " helped";
    boolean back = !tried.isEmpty() && tried.getLast().equals(Ladder.Rung.ROLL_BACK.word());
    return end(
        handle, grant, open, new End(RemediationState.Resumed, says, signature(taken), back));
  }

  /** As found last. */
  private static String signature(List<Course.Taken> taken) {
    return taken.reversed().stream()
        .filter(step -> step.action() == Action.DIAGNOSE)
        .findFirst()
        .map(diagnosed -> Diagnosis.of(diagnosed).signature())
        .orElse("");
  }

  private static String evidence(Remediation open, List<Course.Taken> taken, String why) {
    List<String> tried = tried(open, taken);
    return "%s; remediation tried %s; last %s"
        .formatted(open.reason(), tried.isEmpty() ? "nothing" : String.join(", ", tried), why);
  }

  private static List<String> tried(Remediation open, List<Course.Taken> taken) {
    return taken.stream()
        .flatMapToInt(step -> step.rung().stream())
        .mapToObj(rung -> open.ladder().rungs().get(rung).word())
        .toList();
  }

  private static boolean begin(
      Handle handle, GrantRow grant, Remediation open, List<Course.Taken> taken, Next.Do next) {
    if (next.action().step(open.step()) == JobStep.Update) {
      // Until the next Update a host has what the last one brought.
      boolean back = next.action() == Action.ROLL_BACK;
      BatchHosts.goBack(handle, grant.id(), open.host(), back);
    }
    String job = publish(handle, grant, open, taken, next.action());
    RemediationRows.took(handle, open, next, job);
    Event.ofHost(
            EventKind.RemediationTried,
            grant.rollout(),
            open.host(),
            Map.of(
                "grant", grant.id(),
                "step", open.step().name(),
                "action", next.action().word(),
                "job", job))
        .append(handle);
    BatchHosts.says(
        handle,
        grant.id(),
        List.of(open.host()),
        open.reason() + "; remediation: " + next.action().word());
    return false;
  }

  private static String publish(
      Handle handle, GrantRow grant, Remediation open, List<Course.Taken> taken, Action action) {
    if (action == Action.REIMAGE) {
      return Publication.reimage(handle, grant, open.host());
    }
    return action
        .repair()
        .map(repair -> Publication.repair(handle, grant, open.host(), repair, failure(open, taken)))
        .orElseGet(() -> Publication.repeat(handle, grant, action.step(open.step()), open.host()));
  }

  /** What a diagnosis is told of what failed last; the host cannot tell it. */
  private static Map<String, String> failure(Remediation open, List<Course.Taken> taken) {
    Optional<Course.Taken> last =
        taken.reversed().stream()
            .filter(step -> step.action() != Action.DIAGNOSE && step.ended() && !step.done())
            .filter(step -> !step.message().isEmpty())
            .findFirst();
    return Map.of(
        "failure.step",
            last.map(step -> step.action().fails(open.step())).orElse(open.step()).name(),
        "failure.says", last.map(Course.Taken::message).orElse(open.reason()));
  }

  private static boolean left(Handle handle, GrantRow grant, Remediation open, String says) {
    return end(handle, grant, open, new End(RemediationState.Left, says, "", false));
  }

  private static boolean end(Handle handle, GrantRow grant, Remediation open, End end) {
    RemediationRows.end(handle, open, end);
    BatchHosts.says(
        handle,
        grant.id(),
        List.of(open.host()),
        end.state() == RemediationState.Resumed ? "" : end.says());
    Event.ofHost(
            EventKind.RemediationEnded,
            grant.rollout(),
            open.host(),
            Map.of(
                "grant", grant.id(),
                "step", open.step().name(),
                "state", end.state().name(),
                "reason", end.says(),
                "signature", end.signature()))
        .append(handle);
    Wakeups.add(handle, WorkflowIds.batch(grant.id()), "remediation");
    return true;
  }
}
