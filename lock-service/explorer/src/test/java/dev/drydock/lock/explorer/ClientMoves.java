package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.SessionRelease;
import dev.drydock.lock.core.txn.TicketTransactions;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.explorer.Model.Message;
import dev.drydock.lock.explorer.Model.Phase;
import dev.drydock.lock.explorer.Scenario.Fault;
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
        steps.fault(Fault.DIE, "die " + id, model -> model.phase[i] = Phase.DEAD);
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
        steps.fault(
            Fault.COPY,
            "release " + id + ", and a copy is on its way",
            model -> {
              Transaction sessionRelease = release(model, i);
              onItsWay(model, sessionRelease);
              commit(model, sessionRelease, i);
            });
        if (steps.before.etcd.has(new Key.Term(id))) {
          steps.expected("term of " + id + " ends", model -> expire(model, Leases.term(i), i));
        }
      }
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

  private void ask(int i) {
    String id = steps.before.id(i);
    steps.expected(
        "ask " + id,
        model -> {
          Transaction ask = askFor(model, i);
          model.etcd = steps.sent(model, ask);
          model.phase[i] = Phase.ASKED;
          ActualEffects.learn(model);
        });
    if (!steps.before.underWay(ticket(i))) {
      steps.fault(
          Fault.LOST,
          "ask " + id + ", which waits in the network",
          model -> onItsWay(model, askFor(model, i)));
      steps.fault(
          Fault.COPY,
          "ask " + id + ", and a copy is on its way",
          model -> {
            Transaction ask = askFor(model, i);
            onItsWay(model, ask);
            model.etcd = steps.sent(model, ask);
            model.phase[i] = Phase.ASKED;
            ActualEffects.learn(model);
          });
    }
  }

  private static Transaction askFor(Model model, int i) {
    Ticket ticket = model.request(i).ticket(model.scenario.deadline());
    return TicketTransactions.take(
        ticket, ticket.onItsOwnLease() ? Leases.own(i) : Leases.waiting(i));
  }

  private Key.Ticket ticket(int i) {
    return new Key.Ticket(steps.before.id(i), 0);
  }

  private void leave(Model model, int i) {
    Ticket ticket = model.etcd.read(ticket(i)).value();
    model.etcd =
        steps.sent(model, TicketTransactions.leave(ticket, "owner", "no need", Leases.NOTES));
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
    SessionRelease sessionRelease =
        replica
            .release(model.id(i))
            .orElseThrow(
                () ->
                    new Violation(
                        "I2: " + model.id(i) + " works on hosts and has no lock any more"));
    return TicketTransactions.release(sessionRelease, 1, "owner", "done", Leases.NOTES);
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
