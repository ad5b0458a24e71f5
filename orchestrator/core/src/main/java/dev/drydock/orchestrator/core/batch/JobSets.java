package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.JobOrder;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Puts the jobs of steps on the board, and takes them off:
 *
 * <ol>
 *   <li>no round yet: the first;
 *   <li>the last round has not ended: it stays, and belongs to the run that works the grant now;
 *   <li>the last round ended under an earlier run and was never given to anybody: the next;
 *   <li>nobody claimed the last round of a step that its host needs: the next, without end;
 *   <li>otherwise the last round stays, and its result is the result of the step.
 * </ol>
 *
 * <p>Property: publishing again never repeats an effect that began.
 */
final class JobSets {
  private static final String REIMAGE = "Reimage";

  private final SnapshotDraft snapshotDraft;

  JobSets(SnapshotDraft snapshotDraft) {
    this.snapshotDraft = snapshotDraft;
  }

  /**
   * Publishes a step for hosts.
   *
   * @return whether any job is new
   */
  boolean publish(Step step, Collection<String> hosts) {
    boolean any = false;
    for (String host : hosts.stream().sorted().toList()) {
      any |= publish(Round.of(step, host));
    }
    return any;
  }

  /** Publishes a drain by these terms. */
  void drain(String host, DrainTerms terms) {
    publish(Round.of(Step.DRAIN, host).by(terms));
  }

  private boolean publish(Round wanted) {
    Optional<BatchJob> last = snapshotDraft.last(wanted.step(), wanted.host());
    if (last.isPresent() && !last.get().ended()) {
      adopt(last.get());
      return false;
    }
    if (last.isPresent() && !untouchedEarlier(last.get()) && !stillNeeded(last.get())) {
      return false;
    }
    insert(wanted);
    return true;
  }

  private boolean untouchedEarlier(BatchJob batchJob) {
    return batchJob.endedUntouched() && batchJob.run() < snapshotDraft.grant().run();
  }

  /** Nobody is given what leads a batch forward once people broke into it. */
  private boolean stillNeeded(BatchJob batchJob) {
    boolean barred = snapshotDraft.grant().aborted() && batchJob.step().leadsForward();
    return batchJob.unclaimed() && batchJob.step().outlastsSilence() && !barred;
  }

  /** Another round of a drain that ended without a drained host. */
  void drainAgain(String host, DrainTerms terms, boolean force) {
    again(Round.of(Step.DRAIN, host).by(terms).forced(force));
  }

  /** Another round of a step that ended badly and whose host was read back. */
  void again(Step step, String host) {
    again(Round.of(step, host));
  }

  /** Another round of a step, unless its last one has not ended. */
  void anew(Step step, String host) {
    Optional<BatchJob> open = snapshotDraft.last(step, host).filter(batchJob -> !batchJob.ended());
    if (open.isPresent()) {
      adopt(open.get());
    } else if (step == Step.DRAIN) {
      drainAgain(host, snapshotDraft.host(host).drain(), false);
    } else {
      again(step, host);
    }
  }

  /**
   * An action of a remediation.
   *
   * @param facts what a Repair is told beside the facts of earlier steps
   * @return the id of its job
   */
  String repair(String host, RepairAction action, Step failed, Map<String, String> facts) {
    Round round = Round.of(action.step(failed), host).repairing();
    if (action.repair().isPresent()) {
      return again(round.doing(action.repair().get(), facts));
    }
    return again(action == RepairAction.REIMAGE ? round.by(REIMAGE) : round);
  }

  private String again(Round wanted) {
    snapshotDraft
        .last(wanted.step(), wanted.host())
        .filter(batchJob -> !batchJob.ended())
        .ifPresent(
            batchJob -> {
              throw new IllegalStateException("job " + batchJob.id() + " has not ended");
            });
    return insert(wanted);
  }

  /**
   * Publishes a hook. One that nobody claims is published again, without end.
   *
   * @param hosts of the batch that it may still be about
   */
  void hook(Step step, BatchHook hook, Collection<String> hosts) {
    Optional<BatchJob> last =
        Optional.ofNullable(snapshotDraft.lastOfHooks(step).get(hook.number()));
    if (last.isPresent() && !last.get().ended()) {
      adopt(last.get());
      return;
    }
    boolean waited = last.filter(batchJob -> batchJob.status() == JobStatus.WAITED).isPresent();
    if (last.isEmpty() || waited || untouchedEarlier(last.get()) || last.get().unclaimed()) {
      insert(step, hook, hosts, last.filter(_ -> waited).map(BatchJob::id));
    }
  }

  /** Another round of a hook that ended badly. */
  void hookAgain(Step step, BatchHook hook, Collection<String> hosts) {
    insert(step, hook, hosts, Optional.empty());
  }

  private void insert(Step step, BatchHook hook, Collection<String> hosts, Optional<String> after) {
    List<String> about = hook.hosts().stream().filter(hosts::contains).sorted().toList();
    String host = about.getFirst();
    int round = snapshotDraft.nextRound(host);
    snapshotDraft.act(
        new Action.Publish(
            new JobOrder(
                id(step, host, round),
                step,
                host,
                round,
                "hook/" + hook.name(),
                hook.number(),
                Optional.empty(),
                false,
                Optional.empty(),
                Map.of(),
                false,
                about,
                after)));
  }

  private String insert(Round wanted) {
    int round = snapshotDraft.nextRound(wanted.host());
    String id = id(wanted.step(), wanted.host(), round);
    snapshotDraft.act(
        new Action.Publish(
            new JobOrder(
                id,
                wanted.step(),
                wanted.host(),
                round,
                topic(wanted),
                0,
                wanted.drainMax(),
                wanted.force(),
                wanted.repair(),
                wanted.facts(),
                wanted.repairs(),
                List.of(),
                Optional.empty())));
    return id;
  }

  private String topic(Round wanted) {
    if (!wanted.step().onHost()) {
      return "scheduler/" + snapshotDraft.host(wanted.host()).scheduler();
    }
    // A repair that changes a host has a topic of its own.
    return "host/"
        + wanted
            .mode()
            .or(() -> wanted.repair().filter(action -> !RepairAction.reads(action)))
            .orElse(snapshotDraft.read().mode());
  }

  private String id(Step step, String host, int round) {
    return "%s.%s.%s.%d".formatted(snapshotDraft.grant().id(), step.word(), host, round);
  }

  /** A job that has not ended belongs to the run that works the grant now. */
  void adopt(BatchJob batchJob) {
    if (batchJob.run() != snapshotDraft.grant().run()) {
      snapshotDraft.act(new Action.Adopt(batchJob.id()));
    }
  }

  /** Takes jobs of hosts off the board that left the batch: nobody does anything more there. */
  void cancelOfLeft() {
    cancel(batchJob -> batchJob.hook() == 0 && !snapshotDraft.isActive(batchJob.host()));
  }

  /** Takes pending jobs off the board. */
  void cancel(Predicate<BatchJob> which) {
    List<String> pending =
        snapshotDraft.jobs().stream()
            .filter(batchJob -> batchJob.status() == JobStatus.PENDING)
            .filter(which)
            .map(BatchJob::id)
            .toList();
    if (!pending.isEmpty()) {
      snapshotDraft.act(new Action.Cancel(pending));
    }
  }

  /**
   * What is new on the board.
   *
   * @param mode of an Update that is done in another way than those of its rollout
   */
  private record Round(
      Step step,
      String host,
      Optional<Duration> drainMax,
      boolean force,
      Optional<String> repair,
      Map<String, String> facts,
      boolean repairs,
      Optional<String> mode) {

    static Round of(Step step, String host) {
      return new Round(
          step, host, Optional.empty(), false, Optional.empty(), Map.of(), false, Optional.empty());
    }

    Round by(DrainTerms terms) {
      Map<String, String> told = Map.of(JobOrder.DRAIN_TERMS, terms.says());
      return new Round(
          step, host, Optional.of(terms.timeout()), force, repair, told, repairs, mode);
    }

    Round forced(boolean by) {
      return new Round(step, host, drainMax, by, repair, facts, repairs, mode);
    }

    Round repairing() {
      return new Round(step, host, drainMax, force, repair, facts, true, mode);
    }

    Round doing(String action, Map<String, String> told) {
      return new Round(step, host, drainMax, force, Optional.of(action), told, repairs, mode);
    }

    Round by(String another) {
      return new Round(step, host, drainMax, force, repair, facts, repairs, Optional.of(another));
    }
  }
}
