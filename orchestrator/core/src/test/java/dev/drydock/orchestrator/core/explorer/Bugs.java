package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.JobOrder;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** The bugs that are seeded. */
final class Bugs {
  private Bugs() {}

  static boolean publishes(Action action, Step step) {
    return action instanceof Action.Publish(JobOrder order) && order.step() == step;
  }

  /** An Update follows its own Drain. */
  static Bug early() {
    return Bug.deciding(
        (rows, actions) -> {
          boolean drained =
              rows.jobs().stream()
                  .anyMatch(
                      batchJob ->
                          batchJob.step() == Step.DRAIN
                              && batchJob.host().equals("h1")
                              && batchJob.done());
          boolean updated =
              rows.jobs().stream().anyMatch(batchJob -> batchJob.step() == Step.UPDATE);
          return drained && !updated && rows.grant().turnedBack().isEmpty()
              ? more(actions, publish(Step.UPDATE, "h1", 3))
              : actions;
        });
  }

  static Bug unasked() {
    return Bug.deciding(
        (rows, actions) ->
            actions.stream()
                    .anyMatch(
                        action ->
                            action instanceof Action.AskCheck(Check.Kind kind, int _)
                                && kind == Check.Kind.OPEN)
                ? more(actions, publish(Step.DRAIN, "h1", 2))
                : actions);
  }

  static Bug asking() {
    return Bug.deciding(
        (rows, actions) ->
            rows.grant().alive() && rows.jobs().size() == 2
                ? more(actions, new Action.AskCheck(Check.Kind.OPEN, rows.checks().size() + 5))
                : actions);
  }

  private static Action publish(Step step, String host, int round) {
    return new Action.Publish(
        new JobOrder(
            "%s.%s.%s.%d".formatted("g", step.word(), host, round),
            step,
            host,
            round,
            "",
            0,
            Optional.empty(),
            false,
            Optional.empty(),
            Map.of(),
            false,
            List.of(),
            Optional.empty()));
  }

  private static List<Action> more(List<Action> actions, Action action) {
    List<Action> more = new ArrayList<>(actions);
    more.add(Math.max(0, more.size() - 1), action);
    return more;
  }

  /** Another step is published. */
  static Bug instead(Step step, Step other) {
    return Bug.changing(
        (_, action) ->
            action instanceof Action.Publish(JobOrder order) && order.step() == step
                ? publish(other, order.host(), order.round())
                : action);
  }

  /** A batch that lost its run takes its stage for a verdict, and asks for none. */
  static Bug unaskedAfterALoss() {
    return Bug.deciding(
        (rows, actions) ->
            rows.grant().reclaim().isEmpty()
                ? actions
                : actions.stream().filter(action -> !(action instanceof Action.AskCheck)).toList());
  }

  /** What a lost run left halfway is updated without being drained. */
  static Bug undrained() {
    return Bug.changing(
        (rows, action) ->
            rows.grant().reclaim().isPresent()
                    && action instanceof Action.Publish(JobOrder order)
                    && order.step() == Step.DRAIN
                ? publish(Step.UPDATE, order.host(), order.round())
                : action);
  }

  static Bug seeing(JobStatus real, JobStatus seen) {
    return jobs(batchJob -> batchJob.status() == real ? as(batchJob, seen) : batchJob);
  }

  static Bug seeing(Step step, JobStatus real, JobStatus seen) {
    return jobs(
        batchJob ->
            batchJob.step() == step && batchJob.status() == real ? as(batchJob, seen) : batchJob);
  }

  static BatchJob as(BatchJob batchJob, JobStatus seen) {
    return batchJob.with(seen, Math.max(1, batchJob.attempt()), "seen so", Optional.of(Rows.NOW));
  }

  /** Repairs that change a host are taken for ones that read it. */
  static Bug harmless() {
    return jobs(
        batchJob ->
            new BatchJob(
                batchJob.id(),
                batchJob.step(),
                batchJob.host(),
                batchJob.round(),
                batchJob.run(),
                batchJob.topic(),
                batchJob.status(),
                batchJob.attempt(),
                batchJob.message(),
                batchJob.hook(),
                batchJob.held(),
                batchJob.repair().map(_ -> RepairAction.VERIFY.word()),
                batchJob.left(),
                batchJob.facts(),
                batchJob.told(),
                batchJob.createdAt(),
                batchJob.endedAt()));
  }

  static Bug jobs(UnaryOperator<BatchJob> change) {
    return Bug.reading(
        rows -> Rows.of(rows).jobs(rows.jobs().stream().map(change).toList()).done());
  }

  /** Lost jobs of the step are not read. */
  static Bug overlooking(Step step) {
    Predicate<BatchJob> lost = batchJob -> batchJob.step() == step && batchJob.lost();
    return Bug.reading(
        rows -> Rows.of(rows).jobs(rows.jobs().stream().filter(lost.negate()).toList()).done());
  }

  static Bug hookless() {
    return Bug.reading(rows -> rows.grant().turnedBack().isEmpty() ? rows : hooks(rows).done());
  }

  private static Rows hooks(BatchSnapshot rows) {
    Grant grant = rows.grant();
    return Rows.of(rows).withoutHooks().grant(grant.hooked(false));
  }

  static Bug forgetful() {
    return Bug.reading(rows -> Rows.of(rows).withoutFailures().done());
  }

  /** The way back is not read. */
  static Bug forward() {
    return grant(
        grant ->
            new Grant(
                grant.id(),
                grant.rollout(),
                grant.run(),
                grant.alive(),
                grant.stage(),
                grant.aborted(),
                grant.reclaim(),
                grant.blind(),
                grant.hooked(),
                grant.onHostFailure(),
                Optional.empty()));
  }

  /** The lost run is not read. */
  static Bug onward() {
    return grant(grant -> found(grant, Optional.empty(), grant.blind()));
  }

  /** The restored store is not read. */
  static Bug sighted() {
    return grant(grant -> found(grant, grant.reclaim(), false));
  }

  private static Grant found(Grant grant, Optional<String> reclaim, boolean blind) {
    return new Grant(
        grant.id(),
        grant.rollout(),
        grant.run(),
        grant.alive(),
        grant.stage(),
        grant.aborted(),
        reclaim,
        blind,
        grant.hooked(),
        grant.onHostFailure(),
        grant.turnedBack());
  }

  private static Bug grant(UnaryOperator<Grant> change) {
    return Bug.reading(rows -> Rows.of(rows).grant(change.apply(rows.grant())).done());
  }

  static Bug approved() {
    return Bug.reading(
        rows -> {
          Rows read = Rows.of(rows);
          rows.decisions().stream()
              .filter(asked -> asked.is(Decision.Kind.REPAIR_APPROVAL))
              .forEach(asked -> read.answered(asked, Decision.Option.APPROVE));
          return read.done();
        });
  }

  static Bug speechless() {
    return Bug.changing(
        (_, action) ->
            action instanceof Action.Quarantine(String host, String _)
                ? new Action.Quarantine(host, "")
                : action);
  }

  /** A host is forgotten at the end. */
  static Bug without(String host) {
    return Bug.changing(
        (_, action) -> {
          if (!(action instanceof Action.EndBatch(var ends, HostEnd end))) {
            return action;
          }
          Map<String, Action.EndBatch.Ended> fewer = new HashMap<>(ends);
          fewer.remove(host);
          return new Action.EndBatch(fewer, end);
        });
  }

  /** A host returns before each end. */
  static Bug twice(String host) {
    return Bug.deciding(
        (rows, actions) -> {
          boolean ends = actions.stream().anyMatch(Action.EndBatch.class::isInstance);
          Optional<BatchHost> found =
              rows.hosts().stream().filter(one -> one.name().equals(host)).findFirst();
          return ends && found.isPresent()
              ? more(actions, new Action.Return(host, HostEnd.UPGRADED, ""))
              : actions;
        });
  }

  /** All hosts that were not quarantined end so. */
  static Bug all(HostEnd end) {
    return Bug.changing(
        (_, action) -> {
          if (!(action instanceof Action.EndBatch(var ends, HostEnd _))) {
            return action;
          }
          Map<String, Action.EndBatch.Ended> other = new HashMap<>();
          ends.forEach(
              (host, ended) ->
                  other.put(host, new Action.EndBatch.Ended(end, ended.reason() + " so")));
          return new Action.EndBatch(other, end);
        });
  }
}
