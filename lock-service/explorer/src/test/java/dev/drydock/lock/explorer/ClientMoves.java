package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Alive;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Release;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.SessionTransactions;
import dev.drydock.lock.core.txn.Stored;
import dev.drydock.lock.core.txn.TicketTransactions;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.explorer.Model.Message;
import dev.drydock.lock.explorer.Model.Phase;
import dev.drydock.lock.explorer.Scenario.Fault;
import dev.drydock.lock.explorer.Scenario.Request;
import java.util.List;
import java.util.Objects;

/** What clients do, and what their leases do to them. */
final class ClientMoves {
  private final Steps steps;

  ClientMoves(Steps steps) {
    this.steps = steps;
  }

  void of(int i) {
    String id = steps.before.id(i);
    switch (steps.before.phase[i]) {
      case IDLE -> ask(i);
      case ASKED -> {
        steps.fault(Fault.DIE, "die " + id, model -> Guests.die(model, i));
        if (steps.before.etcd.has(ticket(i))) {
          steps.fault(Fault.LEAVE, "leave " + id, model -> leave(model, i));
          renew(i);
        }
      }
      case HOLDS -> {
        steps.fault(Fault.DIE, "die " + id, model -> model.phase[i] = Phase.LAPSED);
        if (steps.before.etcd.has(alive(i))) {
          steps.fault(
              Fault.REVOKE, "the lease of " + id + " is revoked", model -> revoke(model, i));
        } else {
          steps.expected(
              id + " hears that its lease is over", model -> model.phase[i] = Phase.LAPSED);
        }
        steps.expected("release " + id, model -> commit(model, release(model, i), i));
        if (!steps.before.request(i).shares()) {
          steps.fault(
              Fault.COPY,
              "release " + id + ", and a copy is on its way",
              model -> {
                Transaction release = release(model, i);
                onItsWay(model, release);
                commit(model, release, i);
              });
        }
        for (int p = 0; p < Model.GRANTORS; p++) {
          if (steps.before.request(i).kind() == Request.Kind.AT_HOME
              && steps.before.fence[p] != 0) {
            int at = p;
            steps.expected(
                "grantor " + steps.before.fence[p] + " is to end " + id,
                model -> {
                  model.phase[i] = Phase.LEAVING;
                  model.leaving[i] = at;
                });
          }
        }
        if (steps.before.etcd.has(new Key.Term(id))) {
          steps.expected("term of " + id + " ends", model -> expire(model, Leases.term(i), i));
        }
      }
      case LEAVING -> leave(i);
      case OVER, DEAD, LAPSED -> {}
    }
    leases(i);
    delay(i);
  }

  private Key.Alive alive(int i) {
    return new Key.Alive(steps.before.request(i).id());
  }

  private void revoke(Model model, int i) {
    ModelEtcd.Cell alive = Objects.requireNonNull(model.etcd.cells().get(alive(i)));
    model.etcd = model.etcd.expire(alive.lease());
  }

  /**
   * A lease went by since a grantor saw that a client's lock expired. The client renewed it before,
   * for the last time, and believes in it no longer than a lease since then.
   */
  private void delay(int i) {
    if (!steps.before.lapsing[i]
        && steps.before.phase[i] != Phase.HOLDS
        && steps.before.expired(i)) {
      steps.expected(
          "a lease since " + steps.before.id(i) + " expired", model -> model.lapsing[i] = true);
    }
  }

  /** It waits for a grantor to end its lock, not for ever, and looks what became of it. */
  private void leave(int i) {
    String id = steps.before.id(i);
    steps.fault(Fault.DIE, "die " + id, model -> model.phase[i] = Phase.LAPSED);
    if (steps.before.ending[i] == Model.NOWHERE) {
      steps.expected(
          "release " + id + " after all",
          model -> {
            model.leaving[i] = Model.NOWHERE;
            if (model.etcd.cells().get(new Key.Session(id)) instanceof ModelEtcd.Cell cell
                && cell.value() instanceof SessionLock.Held) {
              commit(model, release(model, i), i);
            } else {
              model.phase[i] = Phase.OVER;
            }
          });
    }
  }

  private void ask(int i) {
    String id = steps.before.id(i);
    for (int p = 0; p < Model.GRANTORS; p++) {
      if (steps.before.request(i).kind() == Request.Kind.WALK_IN && steps.before.fence[p] != 0) {
        int at = p;
        steps.expected(
            id + " walks in at grantor " + steps.before.fence[p],
            model -> {
              model.door[i] = at;
              model.phase[i] = Phase.ASKED;
            });
      }
    }
    steps.expected(
        "ask " + id,
        model -> {
          Transaction ask = askFor(model, i);
          model.etcd = steps.sent(model, ask);
          model.phase[i] = Phase.ASKED;
          Truth.learn(model);
        });
    if (!steps.before.underWay(ticket(i))) {
      steps.fault(
          Fault.LOST,
          "ask " + id + ", which waits in the network",
          model -> {
            onItsWay(model, askFor(model, i));
            if (model.request(i).shares()) {
              settle(model, i);
            }
          });
      if (!steps.before.request(i).shares()) {
        steps.fault(
            Fault.COPY,
            "ask " + id + ", and a copy is on its way",
            model -> {
              Transaction ask = askFor(model, i);
              onItsWay(model, ask);
              model.etcd = steps.sent(model, ask);
              model.phase[i] = Phase.ASKED;
              Truth.learn(model);
            });
      }
    }
  }

  private Transaction askFor(Model model, int i) {
    Ticket ticket = model.request(i).ticket(model.scenario.deadline());
    if (model.request(i).shares()) {
      Key.Alive key = new Key.Alive(model.request(i).id());
      return SessionTransactions.enter(List.of(ticket), key.id(), model.etcd.read(key).modified());
    }
    return TicketTransactions.take(ticket, Leases.waiting(i));
  }

  /** What a session does when it does not hear what became of a group. */
  void settle(Model model, int i) {
    Key.Alive key = new Key.Alive(model.request(i).id());
    Stored<Alive> alive = model.etcd.read(key);
    model.etcd =
        steps.sent(model, SessionTransactions.fence(key.id(), alive.modified(), 15, Leases.own(i)));
  }

  private Key.Ticket ticket(int i) {
    return new Key.Ticket(steps.before.id(i), 0);
  }

  private void leave(Model model, int i) {
    Ticket ticket = model.etcd.read(ticket(i)).value();
    Transaction leave =
        model.request(i).shares()
            ? SessionTransactions.withdraw(ticket)
            : TicketTransactions.leave(ticket, "owner", "no need", Leases.NOTES);
    model.etcd = steps.sent(model, leave);
    model.phase[i] = Phase.OVER;
  }

  private void renew(int i) {
    Ticket ticket = steps.before.etcd.read(ticket(i)).value();
    if (ticket.pollDeadline().equals(Scenario.NEAR)) {
      steps.expected(
          "renew " + steps.before.id(i),
          model -> model.etcd = steps.sent(model, TicketTransactions.renew(ticket, Scenario.FAR)));
    }
  }

  private Transaction release(Model model, int i) {
    Replica replica = Replica.of(model.etcd.revision(), model.etcd.everything());
    Release release =
        replica
            .release(model.id(i))
            .orElseThrow(
                () ->
                    new Violation(
                        "I2: " + model.id(i) + " works on hosts and has no lock any more"));
    return model.request(i).shares()
        ? SessionTransactions.release(release, 1, "owner", "done")
        : TicketTransactions.release(release, 1, "owner", "done", Leases.NOTES);
  }

  private void commit(Model model, Transaction transaction, int i) {
    model.etcd = steps.sent(model, transaction);
    model.phase[i] = Phase.OVER;
  }

  private void onItsWay(Model model, Transaction transaction) {
    model.network.add(new Message(Message.NOBODY, transaction, 0, 0, 0));
  }

  /** Leases nobody renews run out at any time. */
  private void leases(int i) {
    long mattering = Leases.mattering(steps.before);
    for (long lease : Leases.of(i)) {
      if ((mattering & (1L << lease)) != 0
          && steps.before.etcd.lives(lease)
          && unrenewed(i, lease)) {
        steps.expected("lease " + lease + " ends", model -> expire(model, lease, i));
      }
    }
  }

  private boolean unrenewed(int i, long lease) {
    boolean gone = steps.before.phase[i].ordinal() >= Phase.OVER.ordinal();
    if (lease == Leases.term(i)) {
      return gone;
    }
    ModelEtcd.Cell alive =
        steps.before.etcd.cells().get(new Key.Alive(steps.before.request(i).id()));
    boolean other = lease == Leases.waiting(i) && alive != null && alive.lease() != lease;
    return gone || other;
  }

  /** A client stops by itself steps.before its lease or its term is over. */
  private void expire(Model model, long lease, int i) {
    if (model.phase[i] == Phase.HOLDS) {
      model.phase[i] = Phase.LAPSED;
    }
    model.etcd = model.etcd.expire(lease);
  }
}
