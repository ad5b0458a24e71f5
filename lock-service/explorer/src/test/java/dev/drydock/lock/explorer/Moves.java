package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.GenerationCause;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.explorer.Model.Message;
import dev.drydock.lock.explorer.Scenario.Fault;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Everything that can happen next in a state. A move is <i>expected</i> when it needs no fault:
 * what everybody goes on doing, so that in the end all are served.
 */
final class Moves {
  private final Steps steps;
  private final Grantors grantors;
  private final ClientMoves ofClients;
  private final BatchMoves ofBatches;
  private final GrantorMoves ofGrantors;
  private final boolean policyBumps;

  Moves(Parts parts, Scenario scenario, boolean policyBumps) {
    steps = new Steps(parts, start(scenario));
    grantors = new Grantors(parts);
    ofClients = new ClientMoves(steps);
    ofBatches = new BatchMoves(steps, parts);
    ofGrantors = new GrantorMoves(steps, grantors);
    this.policyBumps = policyBumps;
  }

  /** Nobody asked yet, and nobody leads. */
  static Model start(Scenario scenario) {
    Model model = new Model(scenario);
    model.etcd = model.etcd.commit(ControlTransactions.firstEpoch()).after();
    return model;
  }

  /** All that can happen in {@code model}. */
  List<Steps.Move> from(Model model) {
    steps.begin(model);
    for (int i = 0; i < model.phase.length; i++) {
      if (model.request(i).foreign()) {
        ofClients.of(i);
      } else {
        ofBatches.of(i);
      }
    }
    for (int p = 0; p < Model.GRANTORS; p++) {
      ofGrantors.of(p);
    }
    network();
    rules();
    hosts();
    return steps.all();
  }

  /** What went wrong in any state so far. */
  Set<Fault> struck() {
    return steps.struck();
  }

  private void network() {
    for (int m = 0; m < steps.before.network.size(); m++) {
      Message message = steps.before.network.get(m);
      if (steps.before.network.indexOf(message) != m) {
        continue;
      }
      int at = m;
      steps.expected(
          "delivered: " + Texts.of(message.transaction()),
          model -> {
            model.network.remove(at);
            grantors.deliver(model, message);
          });
      if (message.sender() == Message.NOBODY) {
        steps.expected(
            "dropped: " + Texts.of(message.transaction()), model -> model.network.remove(at));
      }
    }
  }

  private void rules() {
    if (steps.before.policy == 0) {
      steps.fault(Fault.POLICY, "policy written", model -> model.policy = 1);
    } else if (steps.before.acknowledged == 0) {
      steps.expected(
          "policy acknowledged",
          model -> {
            if (policyBumps) {
              GenerationCause generationCause = new GenerationCause("policy", "owner", "stricter");
              model.etcd = steps.sent(model, ControlTransactions.bumpGeneration(generationCause));
            }
            model.acknowledged = 1;
          });
    }
    if (steps.before.etcd.has(new Key.Brake())) {
      steps.expected(
          "unfreeze",
          model ->
              model.etcd =
                  steps.sent(
                      model,
                      ControlTransactions.unfreeze(
                          model.etcd.read(new Key.Brake()), "ann", "over")));
    } else {
      Brake brake = new Brake("ann", "storm", Instant.EPOCH);
      steps.fault(
          Fault.FREEZE,
          "freeze",
          model ->
              model.etcd =
                  steps.sent(
                      model,
                      ControlTransactions.freeze(
                          brake, model.etcd.modified(new Key.Generation()))));
    }
    if (!steps.before.late) {
      steps.fault(Fault.TIME, "time passes", model -> model.late = true);
    }
  }

  private void hosts() {
    if (steps.before.scenario.counts()) {
      for (String host : Scenario.HOSTS) {
        if (!steps.before.seen.contains(host)) {
          steps.expected("seen healthy: " + host, model -> ActualEffects.observed(model, host));
        }
      }
    }
  }
}
