package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.core.batch.HostFailures.Cause;
import dev.drydock.orchestrator.core.batch.HostFailures.Way;
import dev.drydock.orchestrator.core.batch.PhaseProgress.Status;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Leads a batch through the hooks of a stage:
 *
 * <ol>
 *   <li>Hooks of one order are on the board together, over all hosts. The next order comes when
 *       they are done. Pre hooks go from the lowest order to the highest, post hooks back.
 *   <li>A hook that asks to be asked again gets another round. So does one that nobody claims,
 *       except before the undeploy: then the batch goes back and waits.
 *   <li>On the way back only post hooks run whose pre hook was given to somebody: nothing else may
 *       have had an effect. The published job registers that before anything is done.
 * </ol>
 *
 * <p>Hosts that left the batch, and hosts that are kept aside, are left out.
 */
final class HookStages {
  private final SnapshotDraft snapshotDraft;
  private final HostFailures failures;
  private final OpenHooks open;

  HookStages(SnapshotDraft snapshotDraft, HostFailures failures) {
    this.snapshotDraft = snapshotDraft;
    this.failures = failures;
    this.open = new OpenHooks(snapshotDraft);
  }

  /** Whether a hook that leads forward has not ended. */
  boolean runs() {
    return snapshotDraft.lastOfHooks(Step.HOOK).values().stream().anyMatch(job -> !job.ended());
  }

  /** A stage on the way forward. */
  PhaseProgress forward(Stage stage, Collection<String> hosts) {
    List<String> left = failures.without(hosts);
    Outcome outcome = pursue(Step.HOOK, about(stage, left), left);
    return switch (outcome) {
      case Outcome.Waiting(String job) -> PhaseProgress.waiting(job);
      case Outcome.Done() -> PhaseProgress.done();
      case Outcome.Vetoed(String reason) -> new PhaseProgress(Status.REQUEUED, reason);
      case Outcome.Failed(List<FailedHook> hooks) -> {
        Cause cause = cause(stage.word(), hooks);
        Way way =
            stage.pre()
                ? failures.of(cause, !cause.reasons().keySet().containsAll(left), true)
                : failures.ofPostHook(cause);
        yield settle(way, Step.HOOK, hooks, left);
      }
    };
  }

  /**
   * A stage on the way back, for hosts whose state is known.
   *
   * @return WAITING or DONE: hosts whose hooks stay failed are kept aside
   */
  PhaseProgress back(Stage stage, Collection<String> hosts) {
    List<String> left = failures.without(hosts);
    List<BatchHook> wanted = about(stage, left).stream().filter(open::begun).toList();
    return switch (pursue(Step.UNHOOK, wanted, left)) {
      case Outcome.Waiting(String job) -> PhaseProgress.waiting(job);
      case Outcome.Done() -> PhaseProgress.done();
      case Outcome.Vetoed(String reason) -> throw new IllegalStateException(reason);
      case Outcome.Failed(List<FailedHook> hooks) -> {
        Cause cause = cause(stage.word() + ", going back", hooks);
        yield settle(failures.ofPostHook(cause), Step.UNHOOK, hooks, left);
      }
    };
  }

  /** Hosts that are kept aside from now on leave their hooks behind: the others are looked at. */
  private PhaseProgress settle(Way way, Step step, List<FailedHook> hooks, List<String> hosts) {
    Stage stage = hooks.getFirst().hook().stage();
    return switch (way) {
      case Way.Asked(String question) -> PhaseProgress.waiting("answer to " + question);
      case Way.GoBack(PhaseProgress back) -> back;
      case Way.KeepAside() -> step == Step.HOOK ? forward(stage, hosts) : back(stage, hosts);
      case Way.Retry() -> {
        JobSets jobs = new JobSets(snapshotDraft);
        hooks.forEach(failed -> jobs.hookAgain(step, failed.hook(), hosts));
        // They have not ended now: it is shown what runs.
        yield step == Step.HOOK ? forward(stage, hosts) : back(stage, hosts);
      }
    };
  }

  /** How a stage stands. */
  private sealed interface Outcome {
    /** A hook has not ended. */
    record Waiting(String job) implements Outcome {}

    record Done() implements Outcome {}

    /** A hook turned the batch back, or nobody claimed it. */
    record Vetoed(String reason) implements Outcome {}

    /** Hooks ended badly, and none runs any more. */
    record Failed(List<FailedHook> hooks) implements Outcome {}
  }

  /**
   * A hook that ended badly.
   *
   * @param hosts of the batch that it is about
   */
  private record FailedHook(BatchHook hook, BatchJob job, List<String> hosts, String reason) {}

  private List<BatchHook> about(Stage stage, Collection<String> hosts) {
    return snapshotDraft.hooks().stream()
        .filter(hook -> hook.stage() == stage && hook.hosts().stream().anyMatch(hosts::contains))
        .toList();
  }

  private Outcome pursue(Step step, List<BatchHook> wanted, Collection<String> hosts) {
    JobSets jobs = new JobSets(snapshotDraft);
    for (List<BatchHook> together : inOrder(wanted).values()) {
      Map<Integer, BatchJob> before = snapshotDraft.lastOfHooks(step);
      together.stream()
          .filter(hook -> !settled(before.get(hook.number())))
          .forEach(hook -> jobs.hook(step, hook, hosts));
      Optional<Outcome> stop = stop(together, snapshotDraft.lastOfHooks(step), hosts);
      if (stop.isPresent()) {
        return stop.get();
      }
    }
    return new Outcome.Done();
  }

  private static SortedMap<Integer, List<BatchHook>> inOrder(List<BatchHook> wanted) {
    Comparator<Integer> order = Comparator.naturalOrder();
    boolean pre = wanted.stream().allMatch(hook -> hook.stage().pre());
    SortedMap<Integer, List<BatchHook>> orders = new TreeMap<>(pre ? order : order.reversed());
    wanted.forEach(hook -> orders.computeIfAbsent(hook.order(), _ -> new ArrayList<>()).add(hook));
    return orders;
  }

  /** Whether there is nothing to publish, nor to adopt from an earlier run. */
  private boolean settled(@Nullable BatchJob last) {
    return last != null
        && (last.run() == snapshotDraft.grant().run() || (last.ended() && last.given()))
        && last.status() != JobStatus.WAITED
        && !again(last);
  }

  /** Whether nobody claimed a hook that the hosts need. Its time counts from its first claim. */
  private boolean again(BatchJob last) {
    return unclaimed(last)
        && (last.step() == Step.UNHOOK
            || (hook(last).stage() != Stage.BEFORE_UNDEPLOY && !snapshotDraft.grant().aborted()));
  }

  private boolean unclaimed(BatchJob last) {
    return last.unclaimed() && saidBefore(last).isEmpty();
  }

  private BatchHook hook(BatchJob job) {
    return snapshotDraft.hooks().get(job.hook() - 1);
  }

  private Optional<Outcome> stop(
      List<BatchHook> together, Map<Integer, BatchJob> lasts, Collection<String> hosts) {
    List<BatchHook> running = new ArrayList<>();
    List<FailedHook> failed = new ArrayList<>();
    Optional<String> veto = Optional.empty();
    for (BatchHook hook : together) {
      BatchJob job = Objects.requireNonNull(lasts.get(hook.number()));
      if (!job.ended()) {
        running.add(hook);
      } else if (job.status() == JobStatus.VETOED || unclaimed(job)) {
        veto = Optional.of(failure(hook, job));
      } else if (!job.done()) {
        List<String> left = hook.hosts().stream().filter(hosts::contains).sorted().toList();
        failed.add(new FailedHook(hook, job, left, failure(hook, job)));
      }
    }
    if (!running.isEmpty()) {
      show(running);
      return Optional.of(new Outcome.Waiting(running.getFirst().says()));
    }
    return veto.<Outcome>map(Outcome.Vetoed::new)
        .or(() -> failed.isEmpty() ? Optional.empty() : Optional.of(new Outcome.Failed(failed)));
  }

  /** Shows which hooks run on each host, and of the other hosts which stage they wait in. */
  private void show(List<BatchHook> running) {
    String stage = running.getFirst().stage().word();
    for (String host : snapshotDraft.active()) {
      TreeSet<String> own = new TreeSet<>();
      running.stream()
          .filter(hook -> hook.hosts().contains(host))
          .forEach(hook -> own.add(hook.name()));
      String step = own.isEmpty() ? stage : stage + ": " + String.join(", ", own);
      if (!snapshotDraft.host(host).step().equals(step)) {
        snapshotDraft.act(new Action.ShowStep(host, step));
      }
    }
  }

  /** Such as {@code BeforeUndeploy: move-leaders of host h3: no other replica is in sync}. */
  private String failure(BatchHook hook, BatchJob job) {
    String why;
    if (!job.message().isEmpty()) {
      why = job.message();
    } else if (job.given()) {
      why = "every consumer of job " + job.id() + " fell silent";
    } else {
      why =
          saidBefore(job)
              .map("it was not ready in time, and said last: %s"::formatted)
              .orElse("no consumer of " + job.topic() + " claimed job " + job.id() + " in time");
    }
    return hook.says() + ": " + why;
  }

  /** What the hook said when it asked to be asked again. */
  private Optional<String> saidBefore(BatchJob job) {
    return snapshotDraft.jobs().stream()
        .filter(one -> one.hook() == job.hook() && one.step() == job.step())
        .filter(one -> one.status() == JobStatus.WAITED)
        .max(Comparator.comparingInt(BatchJob::round))
        .map(BatchJob::message);
  }

  private static Cause cause(String step, List<FailedHook> hooks) {
    Map<String, String> reasons = new TreeMap<>();
    List<String> jobs = new ArrayList<>();
    for (FailedHook hook : hooks) {
      jobs.add(hook.job().id());
      hook.hosts().forEach(host -> reasons.putIfAbsent(host, hook.reason()));
    }
    return new Cause(step, jobs, reasons);
  }
}
