package dev.drydock.lock.explorer;

import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.explorer.Scenario.Fault;
import java.util.Arrays;
import java.util.List;

/** What grantors do, and what becomes of them. */
final class GrantorMoves {
  private final Steps steps;
  private final Grantors grantors;

  GrantorMoves(Steps steps, Grantors grantors) {
    this.steps = steps;
    this.grantors = grantors;
  }

  void of(int p) {
    long fence = steps.before.fence[p];
    boolean idle = steps.before.network.stream().noneMatch(message -> message.sender() == p);
    if (fence == 0
        && !steps.before.etcd.has(new Key.Leader())
        && (p == 0 || steps.before.fence[0] != 0)) {
      steps.expected(
          "elect",
          model -> {
            model.etcd = model.etcd.revive(Leases.LEADER);
            model.etcd = steps.sent(model, ControlTransactions.elect("grantor", Leases.LEADER));
            model.fence[p] = model.etcd.created(new Key.Leader());
            model.unsettled[p] = false;
            Arrays.fill(model.lapsing, false); // It saw nothing yet.
          });
    }
    if (fence != 0) {
      if (idle) {
        Model model = new Model(steps.before);
        String name = grantors.pass(model, p);
        if (!name.isEmpty()) {
          steps.expected("grantor " + fence + ": " + name, model);
        }
      } else {
        steps.fault(
            Fault.SILENCE, "grantor " + fence + " hears nothing", model -> silence(model, p));
      }
      steps.fault(
          Fault.CRASH,
          "grantor " + fence + " dies",
          model -> {
            silence(model, p);
            model.fence[p] = 0;
            model.unsettled[p] = false;
          });
    }
    long leads = steps.before.etcd.created(new Key.Leader());
    if (leads != 0 && fence == leads) {
      steps.fault(
          Fault.PAUSE, "grantor " + fence + " stands still past its lease", GrantorMoves::vote);
    } else if (leads != 0 && p == 0 && leads != steps.before.fence[1]) {
      steps.expected("the lease of a dead grantor ends", GrantorMoves::vote);
    }
  }

  private static void vote(Model model) {
    model.etcd = model.etcd.expire(Leases.LEADER);
  }

  private static void silence(Model model, int p) {
    model.network.replaceAll(message -> message.sender() == p ? message.unheard() : message);
    model.rest.set(p, List.of());
    model.unsettled[p] = true;
  }
}
