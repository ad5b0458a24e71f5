package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.Grant.TurnedBack;
import dev.drydock.orchestrator.core.model.JobOrder;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A snapshot as it becomes by the actions decided so far. What {@link #act} does to it is what the
 * interpreter does to the rows; a test compares both. Confined to one decision.
 */
public final class SnapshotDraft {
  /** No host has so many rounds under one grant before its rows are lost. */
  private static final int ROUNDS_FORGOTTEN_MAX = 1_000;

  private final BatchSnapshot read;
  private final List<Action> actions = new ArrayList<>();
  private final Map<String, BatchHost> hosts = new TreeMap<>();
  private final Map<String, BatchJob> jobs = new LinkedHashMap<>();
  private final Map<Check.Kind, Check> checks = new EnumMap<>(Check.Kind.class);
  private final List<Decision> decisions;
  private final List<Remediation> remediations;
  private List<BatchHook> hooks;
  private Grant grant;
  private boolean quarantined;

  /** Nothing is decided yet. */
  public SnapshotDraft(BatchSnapshot read) {
    this.read = read;
    this.grant = read.grant();
    this.hooks = read.hooks();
    this.quarantined = read.quarantined();
    this.decisions = new ArrayList<>(read.decisions());
    this.remediations = new ArrayList<>(read.remediations());
    read.hosts().forEach(host -> hosts.put(host.name(), host));
    read.jobs().forEach(job -> jobs.put(job.id(), job));
    read.checks().forEach(check -> checks.put(check.kind(), check));
  }

  /** The snapshot that the interpreter would read now. */
  public BatchSnapshot snapshot() {
    return new BatchSnapshot(
        read.now(),
        grant,
        read.mode(),
        read.aborted(),
        List.copyOf(hosts.values()),
        quarantined,
        List.copyOf(jobs.values()),
        List.copyOf(checks.values()),
        hooks,
        read.wanted(),
        read.running(),
        decisions,
        remediations,
        read.limits(),
        read.loads());
  }

  /** What was decided, in order. */
  List<Action> actions() {
    return List.copyOf(actions);
  }

  Instant now() {
    return read.now();
  }

  Grant grant() {
    return grant;
  }

  BatchSnapshot read() {
    return read;
  }

  boolean quarantined() {
    return quarantined;
  }

  /** Hosts still in the batch, by name. */
  List<String> active() {
    return List.copyOf(hosts.keySet());
  }

  /** Hosts of the batch that were not found to be on the release already, or beyond it. */
  List<String> unfinished() {
    return active().stream()
        .filter(host -> last(Step.VERIFY, host).filter(BatchJob::done).isEmpty())
        .filter(host -> host(host).known().supersededBy().isEmpty())
        .toList();
  }

  boolean isActive(String host) {
    return hosts.containsKey(host);
  }

  BatchHost host(String name) {
    BatchHost host = hosts.get(name);
    if (host == null) {
      throw new IllegalStateException(name + " is not in batch " + grant.id());
    }
    return host;
  }

  Optional<Check> check(Check.Kind kind) {
    return Optional.ofNullable(checks.get(kind));
  }

  List<BatchHook> hooks() {
    return hooks;
  }

  List<Decision> decisions() {
    return List.copyOf(decisions);
  }

  List<Decision> decisions(Decision.Kind kind) {
    return decisions.stream().filter(one -> one.is(kind)).toList();
  }

  List<Remediation> remediations() {
    return List.copyOf(remediations);
  }

  Collection<BatchJob> jobs() {
    return jobs.values();
  }

  Optional<BatchJob> job(String id) {
    return Optional.ofNullable(jobs.get(id));
  }

  private Stream<BatchJob> jobs(String host) {
    return jobs.values().stream().filter(job -> job.host().equals(host));
  }

  Stream<BatchJob> jobs(Step step, String host) {
    return jobs(host).filter(job -> job.step() == step);
  }

  /** The last round of a step on a host, if it was ever published. */
  Optional<BatchJob> last(Step step, String host) {
    return jobs(step, host).reduce(SnapshotDraft::later);
  }

  /** The last round of a step on every host it was published for. */
  Map<String, BatchJob> lasts(Step step) {
    Map<String, BatchJob> lasts = new TreeMap<>();
    jobs.values().stream()
        .filter(job -> job.step() == step)
        .forEach(job -> lasts.merge(job.host(), job, SnapshotDraft::later));
    return lasts;
  }

  /**
   * The last round that anybody was given or still may be. A later one that was cancelled untouched
   * says nothing of it. The last round if nobody ever was given one.
   */
  Optional<BatchJob> lastGiven(Step step, String host) {
    return jobs(step, host)
        .filter(BatchJob::givenOrOpen)
        .reduce(SnapshotDraft::later)
        .or(() -> last(step, host));
  }

  /** The last round of every hook that was published as this step, by the number of the hook. */
  Map<Integer, BatchJob> lastOfHooks(Step step) {
    Map<Integer, BatchJob> lasts = new TreeMap<>();
    jobs.values().stream()
        .filter(job -> job.step() == step && job.hook() > 0)
        .forEach(job -> lasts.merge(job.hook(), job, SnapshotDraft::later));
    return lasts;
  }

  private static BatchJob later(BatchJob one, BatchJob other) {
    return one.round() >= other.round() ? one : other;
  }

  /**
   * The next round of a host. Rounds count over all steps: the token of a later step must never be
   * older than that of an earlier one.
   */
  int nextRound(String host) {
    int known = jobs(host).mapToInt(BatchJob::round).max().orElse(0);
    // Rounds that rows forgot are recorded on the host: an id that comes again does nothing there.
    return 1 + Math.max(known, grant.blind() ? ROUNDS_FORGOTTEN_MAX : 0);
  }

  /** Whether a consumer has a job of the host. */
  boolean claimed(String host) {
    return jobs(host).anyMatch(job -> job.status() == JobStatus.CLAIMED);
  }

  /** Decides an action. */
  public void act(Action action) {
    actions.add(action);
    switch (action) {
      case Action.Publish(JobOrder order) -> publish(order);
      case Action.Adopt(String job) -> replaceJob(job, found -> found.adoptedBy(grant.run()));
      case Action.Cancel(List<String> ids) ->
          ids.forEach(id -> replaceJob(id, found -> found.cancelled(now())));
      case Action.AskCheck(Check.Kind kind, int round) ->
          checks.put(kind, new Check(kind, round, Check.Verdict.REQUESTED, "", now()));
      case Action.WriteHooks(List<BatchHook> written) -> {
        hooks = written;
        grant = grant.hooked(!written.isEmpty());
      }
      case Action.ShowStep(String host, String step) -> replaceHost(host, one -> one.at(step));
      case Action.ShowReason(String host, String why) -> replaceHost(host, one -> one.saying(why));
      case Action.InPhase(var _), Action.ForgetRelease(String _), Action.Wait(var _, String _) -> {}
      case Action.GoBack(var end, String reason) ->
          grant = grant.turnedBack(new TurnedBack(end, reason));
      case Action.Ask(Decision asked) -> decisions.add(asked);
      case Action.Remind(Decision asked) -> replaceDecision(asked);
      case Action.Withdraw(Decision asked) -> replaceDecision(asked);
      case Action.BeginRepair(Remediation begun) -> remediations.add(begun);
      case Action.TakeRepair(String host, Step step, int _, Remediation.Taken taken) ->
          remediations.replaceAll(
              one -> one.host().equals(host) && one.step() == step ? one.took(taken) : one);
      case Action.EndRepair(Remediation ended, String _) ->
          remediations.replaceAll(
              one -> one.host().equals(ended.host()) && one.step() == ended.step() ? ended : one);
      case Action.ChooseRelease(String host, boolean before) ->
          replaceHost(host, one -> one.backTo(before ? one.returnsTo() : Optional.empty()));
      case Action.Condemn(String host, String why) -> replaceHost(host, one -> one.condemned(why));
      case Action.Quarantine(String host, String _) -> {
        hosts.remove(host);
        quarantined = true;
      }
      case Action.Return(String host, var _, String _) -> hosts.remove(host);
      case Action.EndBatch(var _, var _) -> {
        hosts.clear();
        grant = grant.ended();
      }
    }
  }

  private void publish(JobOrder order) {
    jobs.put(order.id(), BatchJob.published(order, grant.run(), now()));
    if (order.step().shown()) {
      replaceHost(order.host(), host -> host.at(order.step().word()));
    }
  }

  private void replaceHost(String name, UnaryOperator<BatchHost> change) {
    hosts.computeIfPresent(name, (_, host) -> change.apply(host));
  }

  private void replaceJob(String id, UnaryOperator<BatchJob> change) {
    jobs.computeIfPresent(id, (_, job) -> change.apply(job));
  }

  private void replaceDecision(Decision asked) {
    decisions.replaceAll(one -> one.number() == asked.number() ? asked : one);
  }
}
