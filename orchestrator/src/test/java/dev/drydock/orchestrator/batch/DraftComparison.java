package dev.drydock.orchestrator.batch;

import dev.drydock.orchestrator.core.batch.BatchPlanner;
import dev.drydock.orchestrator.core.batch.SnapshotDraft;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.testkit.BatchSteps;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.SnapshotDifference;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Moves batches by the real interpreter, and compares after each action what the draft of the
 * decision expects with what is read from the rows.
 */
final class DraftComparison {
  private final Jdbi jdbi;
  private final Predicate<Action> dropped;
  private final SnapshotReader reader = new SnapshotReader(Fleet.limits());
  private final List<String> differences = new ArrayList<>();
  private final Set<Class<? extends Action>> seen = new HashSet<>();

  final Fleet fleet;
  final BatchSteps steps;

  /**
   * Nothing is moved yet.
   *
   * @param dropped actions that are not written: a planted fault
   */
  DraftComparison(Jdbi jdbi, Predicate<Action> dropped) {
    this.jdbi = jdbi;
    this.dropped = dropped;
    this.fleet = new Fleet(jdbi);
    this.steps = new BatchSteps(fleet, this::decide);
  }

  Jdbi jdbi() {
    return jdbi;
  }

  /** Every difference so far, each behind the action after which it was found. */
  List<String> differences() {
    return List.copyOf(differences);
  }

  /** The kinds of actions without which draft and rows would have differed. */
  Set<Class<? extends Action>> seen() {
    return Set.copyOf(seen);
  }

  /** A batch of new hosts whose run has begun; answers its grant. */
  String begin(String... hosts) {
    for (String host : hosts) {
      fleet.host(host);
    }
    return beginKnown(hosts);
  }

  /** The same of hosts that are known already. */
  String beginKnown(String... hosts) {
    fleet.rollout("r-" + hosts[0], hosts);
    String grant = fleet.grant("r-" + hosts[0], hosts);
    fleet.run(grant);
    return grant;
  }

  /** Decides about the batch once, and writes all of it. */
  void decide(String grant) {
    PoliciesInForce policies = fleet.policies.now();
    jdbi.useTransaction(handle -> decide(handle, grant, policies));
  }

  private void decide(Handle handle, String grant, PoliciesInForce policies) {
    GrantRow row = GrantRow.lock(handle, grant);
    BatchSnapshot rows = reader.read(handle, grant, policies);
    SnapshotDraft snapshotDraft = new SnapshotDraft(rows);
    BatchInterpreter interpreter = new BatchInterpreter(handle, row, fleet.zones);
    for (Action action : BatchPlanner.decide(rows)) {
      snapshotDraft.act(action);
      if (!SnapshotDifference.between(snapshotDraft.snapshot(), rows).isEmpty()) {
        seen.add(action.getClass());
      }
      if (!dropped.test(action)) {
        interpreter.apply(action);
      }
      rows = reader.read(handle, grant, policies);
      SnapshotDifference.between(snapshotDraft.snapshot(), rows)
          .forEach(difference -> differences.add(action + ": " + difference));
    }
  }
}
