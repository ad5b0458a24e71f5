package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Alive;
import dev.drydock.lock.core.txn.Cause;
import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.GrantMark;
import dev.drydock.lock.core.txn.HoldTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionTransactions;
import dev.drydock.lock.core.txn.Stored;
import dev.drydock.lock.core.txn.TicketTransactions;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.explorer.Model.Message;
import dev.drydock.lock.explorer.Model.Phase;
import dev.drydock.lock.explorer.Model.Row;
import dev.drydock.lock.explorer.Scenario.Fault;
import dev.drydock.lock.explorer.Scenario.Request;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Everything that can happen next in a state. A move is <i>expected</i> when it needs no fault:
 * what everybody goes on doing, so that in the end all are served.
 */
final class Moves {

  /** One thing that happens. */
  record Move(String name, boolean expected, Model after) {}

  private final Parts parts;
  private final Grantors grantors;
  private final boolean policyBumps;
  private Model before;
  private List<Move> moves = new ArrayList<>();

  Moves(Parts parts, Scenario scenario, boolean policyBumps) {
    this.parts = parts;
    this.policyBumps = policyBumps;
    grantors = new Grantors(parts);
    before = start(scenario);
  }

  /** Nobody asked yet, and nobody leads. */
  static Model start(Scenario scenario) {
    Model model = new Model(scenario);
    model.etcd = model.etcd.commit(ControlTransactions.firstEpoch()).after();
    for (int i = 0; i < scenario.requests().size(); i++) {
      if (model.request(i).shares()) {
        String session = model.request(i).id();
        model.etcd =
            model.etcd.commit(SessionTransactions.open(session, 15, Leases.own(i))).after();
      }
    }
    return model;
  }

  /** All that can happen in {@code model}. */
  List<Move> from(Model model) {
    before = model;
    moves = new ArrayList<>();
    for (int i = 0; i < model.phase.length; i++) {
      if (model.request(i).foreign()) {
        client(i);
      } else {
        batch(i);
      }
    }
    for (int p = 0; p < Model.GRANTORS; p++) {
      grantor(p);
    }
    network();
    rules();
    hosts();
    return moves;
  }

  private void expected(String name, Consumer<Model> change) {
    add(name, true, change);
  }

  private void fault(Fault fault, String name, Consumer<Model> change) {
    if (before.may(fault)) {
      add(
          name,
          false,
          model -> {
            model.spend(fault);
            change.accept(model);
          });
    }
  }

  private void add(String name, boolean expected, Consumer<Model> change) {
    Model model = new Model(before);
    try {
      change.accept(model);
    } catch (Violation broken) {
      throw new Violation(broken.getMessage() + "\n  by: " + name);
    }
    moves.add(new Move(name, expected, model));
  }

  // Clients.

  private void client(int i) {
    String id = before.id(i);
    switch (before.phase[i]) {
      case IDLE -> ask(i);
      case ASKED -> {
        fault(Fault.DIE, "die " + id, model -> Guests.die(model, i));
        if (before.etcd.has(ticket(i))) {
          fault(Fault.LEAVE, "leave " + id, model -> leave(model, i));
          renew(i);
        }
      }
      case HOLDS -> {
        fault(Fault.DIE, "die " + id, model -> model.phase[i] = Phase.LAPSED);
        expected("release " + id, model -> commit(model, release(model, i), i));
        if (!before.request(i).shares()) {
          fault(
              Fault.COPY,
              "release " + id + ", and a copy is on its way",
              model -> {
                Transaction release = release(model, i);
                onItsWay(model, release);
                commit(model, release, i);
              });
        }
        if (before.etcd.has(new Key.Term(id))) {
          expected("term of " + id + " ends", model -> expire(model, Leases.term(i), i));
        }
      }
      case OVER, DEAD, LAPSED -> {}
    }
    leases(i);
  }

  private void ask(int i) {
    String id = before.id(i);
    for (int p = 0; p < Model.GRANTORS; p++) {
      if (before.request(i).kind() == Request.Kind.WALK_IN && before.fence[p] != 0) {
        int at = p;
        expected(
            id + " walks in at grantor " + before.fence[p],
            model -> {
              model.door[i] = at;
              model.phase[i] = Phase.ASKED;
            });
      }
    }
    expected(
        "ask " + id,
        model -> {
          Transaction ask = askFor(model, i);
          model.etcd = sent(model, ask);
          model.phase[i] = Phase.ASKED;
          Truth.learn(model);
        });
    if (!before.underWay(ticket(i))) {
      fault(
          Fault.LOST,
          "ask " + id + ", which waits in the network",
          model -> {
            onItsWay(model, askFor(model, i));
            if (model.request(i).shares()) {
              settle(model, i);
            }
          });
      if (!before.request(i).shares()) {
        fault(
            Fault.COPY,
            "ask " + id + ", and a copy is on its way",
            model -> {
              Transaction ask = askFor(model, i);
              onItsWay(model, ask);
              model.etcd = sent(model, ask);
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
  private void settle(Model model, int i) {
    Key.Alive key = new Key.Alive(model.request(i).id());
    Stored<Alive> alive = model.etcd.read(key);
    model.etcd =
        sent(model, SessionTransactions.fence(key.id(), alive.modified(), 15, Leases.own(i)));
  }

  private Key.Ticket ticket(int i) {
    return new Key.Ticket(before.id(i), 0);
  }

  private void leave(Model model, int i) {
    Ticket ticket = model.etcd.read(ticket(i)).value();
    Transaction leave =
        model.request(i).shares()
            ? SessionTransactions.withdraw(ticket)
            : TicketTransactions.leave(ticket, "owner", "no need", Leases.NOTES);
    model.etcd = sent(model, leave);
    model.phase[i] = Phase.OVER;
  }

  private void renew(int i) {
    Ticket ticket = before.etcd.read(ticket(i)).value();
    if (ticket.pollDeadline().equals(Scenario.NEAR)) {
      expected(
          "renew " + before.id(i),
          model -> model.etcd = sent(model, TicketTransactions.renew(ticket, Scenario.FAR)));
    }
  }

  private Transaction release(Model model, int i) {
    List<LockRecord> locks =
        model.etcd.everything().stream()
            .map(Stored::value)
            .filter(LockRecord.class::isInstance)
            .map(LockRecord.class::cast)
            .filter(lock -> lock.id().equals(model.id(i)))
            .toList();
    if (locks.isEmpty()) {
      throw new Violation("I2: " + model.id(i) + " works on hosts and has no lock any more");
    }
    return model.request(i).shares()
        ? SessionTransactions.release(locks, 1, "owner", "done")
        : TicketTransactions.release(locks, 1, "owner", "done", Leases.NOTES);
  }

  private void commit(Model model, Transaction transaction, int i) {
    model.etcd = sent(model, transaction);
    model.phase[i] = Phase.OVER;
  }

  private void onItsWay(Model model, Transaction transaction) {
    model.network.add(new Message(Message.NOBODY, transaction, 0, 0, 0));
  }

  /** Leases nobody renews run out at any time. */
  private void leases(int i) {
    for (long lease : Leases.of(i)) {
      if (before.etcd.lives(lease) && Leases.matters(before, lease) && unrenewed(i, lease)) {
        expected("lease " + lease + " ends", model -> expire(model, lease, i));
      }
    }
  }

  private boolean unrenewed(int i, long lease) {
    boolean gone = before.phase[i].ordinal() >= Phase.OVER.ordinal();
    if (lease == Leases.term(i)) {
      return gone;
    }
    ModelEtcd.Cell alive = before.etcd.cells().get(new Key.Alive(before.request(i).id()));
    boolean other = lease == Leases.waiting(i) && alive != null && alive.lease() != lease;
    return gone || other;
  }

  /** A client stops by itself before its lease or its term is over. */
  private void expire(Model model, long lease, int i) {
    if (model.phase[i] == Phase.HOLDS) {
      model.phase[i] = Phase.LAPSED;
    }
    model.etcd = model.etcd.expire(lease);
  }

  // Rollouts.

  private void batch(int i) {
    String id = before.request(i).id();
    switch (before.row[i]) {
      case PENDING, DONE -> {}
      case BACKING_OFF -> expected("back " + id, model -> model.row[i] = Row.PENDING);
      case PROPOSED -> {
        if (before.underWay(new Key.Grant(before.grantId(i)))) {
          fault(Fault.SWEEP, "sweep " + id + " too early", model -> sweep(model, i));
        } else {
          expected("sweep " + id, model -> sweep(model, i));
        }
      }
      case GRANTED -> {
        expected("finish " + id, model -> end(model, i, Row.DONE));
        fault(
            Fault.TURN_BACK,
            "turn back " + id,
            model -> {
              end(model, i, Row.BACKING_OFF);
              model.attempt[i]++;
            });
        for (String host : before.request(i).hosts()) {
          fault(Fault.QUARANTINE, "quarantine " + host, model -> quarantine(model, host));
        }
        if (Leases.matters(before, Leases.ORCHESTRATOR)) {
          expected(
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
    Stored<GrantMark> mark = model.etcd.read(key);
    if (answer.succeeded() || !mark.value().committed()) {
      Truth.voided(model, i);
      model.row[i] = Row.PENDING;
      model.attempt[i]++;
    } else {
      Truth.granted(model, i, mark.created());
    }
  }

  private void end(Model model, int i, Row after) {
    Request request = model.request(i);
    List<Stored<LockRecord>> ending = new ArrayList<>();
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
      model.etcd = sent(model, HoldTransactions.end(ending, Map.of(), end));
    }
    model.row[i] = after;
  }

  private void quarantine(Model model, String host) {
    LockRecord lock = model.lock(host);
    if (lock != null && lock.kind() == LockRecord.Kind.BATCH) {
      model.etcd =
          sent(model, HoldTransactions.quarantine(model.etcd.read(new Key.Lock(host)), "dead"));
    }
  }

  // Grantors.

  private void grantor(int p) {
    long fence = before.fence[p];
    boolean idle = before.network.stream().noneMatch(message -> message.sender() == p);
    if (fence == 0 && !before.etcd.has(new Key.Leader()) && (p == 0 || before.fence[0] != 0)) {
      expected(
          "elect",
          model -> {
            model.etcd = model.etcd.revive(Leases.LEADER);
            model.etcd = sent(model, ControlTransactions.elect("grantor", Leases.LEADER));
            model.fence[p] = model.etcd.created(new Key.Leader());
            model.unsettled[p] = false;
          });
    }
    if (fence != 0) {
      if (idle) {
        Model model = new Model(before);
        String name = grantors.pass(model, p);
        if (!name.isEmpty()) {
          moves.add(new Move("grantor " + fence + ": " + name, true, model));
        }
      } else {
        fault(Fault.SILENCE, "grantor " + fence + " hears nothing", model -> silence(model, p));
      }
      fault(
          Fault.CRASH,
          "grantor " + fence + " dies",
          model -> {
            Guests.dieWith(model, p);
            silence(model, p);
            model.fence[p] = 0;
            model.unsettled[p] = false;
          });
    }
    long leads = before.etcd.created(new Key.Leader());
    if (leads != 0 && fence == leads) {
      fault(Fault.PAUSE, "grantor " + fence + " stands still past its lease", Moves::vote);
    } else if (leads != 0 && p == 0 && leads != before.fence[1]) {
      expected("the lease of a dead grantor ends", Moves::vote);
    }
  }

  private static void vote(Model model) {
    model.etcd = model.etcd.expire(Leases.LEADER);
  }

  private void silence(Model model, int p) {
    model.network.replaceAll(message -> message.sender() == p ? message.unheard() : message);
    model.rest.set(p, List.of());
    model.unsettled[p] = true;
    for (int i = 0; i < model.phase.length; i++) {
      if (model.granting[i] == p) {
        settle(model, i);
      }
    }
    Guests.turnBack(model, p);
  }

  // The network.

  private void network() {
    for (int m = 0; m < before.network.size(); m++) {
      Message message = before.network.get(m);
      if (before.network.indexOf(message) != m) {
        continue;
      }
      int at = m;
      expected(
          "delivered: " + Texts.of(message.transaction()),
          model -> {
            model.network.remove(at);
            grantors.deliver(model, message);
          });
      if (message.sender() == Message.NOBODY) {
        expected("dropped: " + Texts.of(message.transaction()), model -> model.network.remove(at));
      }
    }
  }

  // Rules, hosts and time.

  private void rules() {
    if (before.policy == 0) {
      fault(Fault.POLICY, "policy written", model -> model.policy = 1);
    } else if (before.acknowledged == 0) {
      expected(
          "policy acknowledged",
          model -> {
            if (policyBumps) {
              Cause cause = new Cause("policy", "owner", "stricter");
              model.etcd = sent(model, ControlTransactions.bumpGeneration(cause));
            }
            model.acknowledged = 1;
          });
    }
    if (before.etcd.has(new Key.Brake())) {
      expected(
          "unfreeze",
          model ->
              model.etcd =
                  sent(
                      model,
                      ControlTransactions.unfreeze(
                          model.etcd.read(new Key.Brake()), "ann", "over")));
    } else {
      Brake brake = new Brake("ann", "storm", Instant.EPOCH);
      fault(
          Fault.FREEZE,
          "freeze",
          model -> model.etcd = sent(model, ControlTransactions.freeze(brake)));
    }
    if (!before.late) {
      fault(Fault.TIME, "time passes", model -> model.late = true);
    }
  }

  private void hosts() {
    if (before.scenario.counts()) {
      for (String host : Scenario.HOSTS) {
        if (!before.seen.contains(host)) {
          expected("seen healthy: " + host, model -> Truth.observed(model, host));
        }
      }
    }
  }

  private ModelEtcd sent(Model model, Transaction transaction) {
    ModelEtcd.Answer answer = model.etcd.commit(parts.sent(transaction));
    Truth.ended(model, answer);
    return answer.after();
  }
}
