package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.txn.GrantMark;
import dev.drydock.lock.core.txn.HoldTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.StoredValue;
import dev.drydock.lock.explorer.Model.Row;
import dev.drydock.lock.explorer.Scenario.Fault;
import dev.drydock.lock.explorer.Scenario.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What rollouts do with their batches, and the sweeper with those nobody heard of. */
final class BatchMoves {
  private final Steps steps;
  private final Parts parts;

  BatchMoves(Steps steps, Parts parts) {
    this.steps = steps;
    this.parts = parts;
  }

  void of(int i) {
    String id = steps.before.request(i).id();
    switch (steps.before.row[i]) {
      case PENDING, DONE -> {}
      case BACKING_OFF -> steps.expected("back " + id, model -> model.row[i] = Row.PENDING);
      case PROPOSED -> {
        if (steps.before.underWay(new Key.Grant(steps.before.grantId(i)))) {
          steps.fault(Fault.SWEEP, "sweep " + id + " too early", model -> sweep(model, i));
        } else {
          steps.expected("sweep " + id, model -> sweep(model, i));
        }
      }
      case GRANTED -> {
        steps.expected("finish " + id, model -> end(model, i, Row.DONE));
        steps.fault(
            Fault.TURN_BACK,
            "turn back " + id,
            model -> {
              end(model, i, Row.BACKING_OFF);
              model.attempt[i]++;
            });
        for (String host : steps.before.request(i).hosts()) {
          steps.fault(Fault.QUARANTINE, "quarantine " + host, model -> quarantine(model, host));
        }
        if ((Leases.mattering(steps.before) & (1L << Leases.ORCHESTRATOR)) != 0) {
          steps.expected(
              "the orchestrator restarts for longer than a lease",
              model -> model.etcd = model.etcd.expire(Leases.ORCHESTRATOR));
        }
      }
    }
  }

  private void sweep(Model model, int i) {
    Key.Grant key = new Key.Grant(model.grantId(i));
    ModelEtcd.Answer answer =
        model.etcd.commit(parts.sent(HoldTransactions.voidGrant(key.id(), "swept")));
    model.etcd = answer.after();
    StoredValue<GrantMark> mark = model.etcd.read(key);
    if (answer.succeeded() || !mark.value().committed()) {
      ActualEffects.voided(model, i);
      model.row[i] = Row.PENDING;
      model.attempt[i]++;
    } else {
      ActualEffects.granted(model, i, mark.created());
    }
  }

  private void end(Model model, int i, Row after) {
    Request request = model.request(i);
    List<StoredValue<LockRecord>> ending = new ArrayList<>();
    for (String host : request.hosts()) {
      LockRecord lock = model.lock(host);
      if (lock != null
          && lock.id().equals(model.grantId(i))
          && lock.kind() == LockRecord.Kind.BATCH) {
        ending.add(model.etcd.read(new Key.Lock(host)));
      } else if (lock == null || lock.kind() != LockRecord.Kind.QUARANTINE) {
        throw new Violation("I2: batch " + request.id() + " runs and has no hold on " + host);
      }
    }
    if (!ending.isEmpty()) {
      Holds.End end = new Holds.End(model.grantId(i), request.hosts(), 1, 1, "batch", "done");
      model.etcd = steps.sent(model, HoldTransactions.end(ending, Map.of(), end));
    }
    model.row[i] = after;
  }

  private void quarantine(Model model, String host) {
    LockRecord lock = model.lock(host);
    if (lock != null && lock.kind() == LockRecord.Kind.BATCH) {
      model.etcd =
          steps.sent(
              model, HoldTransactions.quarantine(model.etcd.read(new Key.Lock(host)), "dead"));
    }
  }
}
