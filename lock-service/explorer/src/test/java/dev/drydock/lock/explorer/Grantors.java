package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.Decision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Passed;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.txn.Cause;
import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.GrantTransactions;
import dev.drydock.lock.core.txn.Groups;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.LockEnd;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.Snapshot;
import dev.drydock.lock.core.txn.TicketTransactions;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.explorer.Model.Message;
import dev.drydock.lock.explorer.Model.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a grantor does: reads, decides, sends group after group. */
final class Grantors {
  private final Parts parts;

  Grantors(Parts parts) {
    this.parts = parts;
  }

  /**
   * One pass up to its first message.
   *
   * @return what it did; empty when that is nothing
   */
  String pass(Model model, int p) {
    String did = "";
    if (model.unsettled[p]) {
      Cause cause = new Cause("settle", "grantor", "");
      model.etcd = model.etcd.commit(parts.sent(ControlTransactions.bumpGeneration(cause))).after();
      model.unsettled[p] = false;
      did = "settles ";
    }
    Snapshot snapshot = model.etcd.snapshot();
    if (snapshot.leader() != model.fence[p]) {
      model.fence[p] = 0;
      Guests.close(model, p);
      Leavers.close(model, p);
      return did + "is deposed";
    }
    for (Snapshot.Uncounted uncounted : snapshot.uncounted()) {
      int i = Rules.requestOf(model, uncounted.lock().id());
      Transaction count =
          TicketTransactions.countLease(uncounted, Leases.counted(i), Leases.term(i));
      model.etcd = model.etcd.commit(parts.sent(count)).after();
      did += "counts ";
    }
    List<LockEnd> ends = Leavers.take(model, p);
    List<Decision> decisions =
        decisions(model, p, ends.isEmpty() ? snapshot : ahead(model, ends), ends);
    if (Guests.decided(model, p, decisions)) {
      did += "turns back ";
    }
    List<Message> messages = messages(model, p, snapshot, decisions, ends);
    if (!messages.isEmpty()) {
      did += "sends " + Texts.of(messages.getFirst().transaction());
      model.rest.set(p, messages);
      next(model, p);
    }
    return did;
  }

  /** What will be there when these locks have ended. */
  private static Snapshot ahead(Model model, List<LockEnd> ends) {
    Replica replica = Replica.of(model.etcd.revision(), model.etcd.everything());
    ends.forEach(end -> replica.apply(0, end.changes(model.etcd.revision() + 1)));
    return replica.snapshot();
  }

  private List<Decision> decisions(Model model, int p, Snapshot snapshot, List<LockEnd> ends) {
    Instant now = model.late ? Scenario.LATER : Instant.EPOCH;
    LockTable table = snapshot.table();
    List<Ticket> inOrder = new ArrayList<>(table.tickets());
    inOrder.addAll(Guests.requests(model, p));
    LockTable shown =
        new LockTable(
            table.revision(),
            table.locks(),
            inOrder,
            table.ended(),
            table.alive(),
            table.brake(),
            table.passed());
    GrantorPass.Witnessed witnessed = new GrantorPass.Witnessed(Set.of(), lapsing(model, table));
    GrantorPass.Input input =
        new GrantorPass.Input(shown, candidates(model), List.of(), now, witnessed);
    Set<String> ending = new HashSet<>();
    ends.forEach(end -> ending.addAll(end.release().hosts()));
    Set<String> seen = new HashSet<>(model.seen);
    seen.removeAll(parts.unseen(ending));
    return parts.decide(input, round(model, seen), GrantorPass.Limits.DEFAULT);
  }

  private static Set<String> lapsing(Model model, LockTable table) {
    Set<String> hosts = new HashSet<>();
    for (LockRecord lock : table.locks().values()) {
      if (table.expired(lock) && model.lapsing[Rules.requestOf(model, lock.id())]) {
        hosts.add(lock.host());
      }
    }
    return hosts;
  }

  private List<Message> messages(
      Model model, int p, Snapshot snapshot, List<Decision> decisions, List<LockEnd> ends) {
    Fence fence = new Fence(Optional.of(model.fence[p]), snapshot.generation());
    GrantTransactions transactions = new GrantTransactions(snapshot);
    int line = Rules.inLine(model);
    List<Message> messages = new ArrayList<>();
    boolean ended = ends.isEmpty();
    for (List<Decision> group : parts.groups(decisions)) {
      List<Transaction> written = new ArrayList<>();
      if (group.getFirst() instanceof Decision.RemoveLapsed) {
        written.add(transactions.removeLapsed(removals(group), Leases.NOTES));
      } else {
        group.forEach(decision -> write(model, transactions, decision).ifPresent(written::add));
      }
      if (!ended && !written.isEmpty()) {
        ended = true;
        boolean joined = Groups.endsLocks(group);
        messages.add(message(model, p, fence.handOver(ends, joined ? written : List.of()), line));
        if (joined) {
          continue;
        }
      }
      if (!written.isEmpty()) {
        Transaction sent =
            written.size() == 1 && !Guests.grants(written.getFirst())
                ? fence.guard(written.getFirst())
                : fence.group("group", written);
        messages.add(message(model, p, sent, line));
      }
    }
    if (!ended) {
      messages.add(message(model, p, fence.handOver(ends, List.of()), line));
    }
    return messages;
  }

  private static Message message(Model model, int p, Transaction sent, int line) {
    return new Message(p, sent, model.policy, model.etcd.revision(), line);
  }

  private static List<Decision.RemoveLapsed> removals(List<Decision> group) {
    return group.stream().map(Decision.RemoveLapsed.class::cast).toList();
  }

  private Optional<Transaction> write(Model model, GrantTransactions into, Decision decision) {
    return switch (decision) {
      case Decision.NoteLapse(LockRecord lock) -> Optional.of(into.noteLapse(lock, 1));
      case Decision.RemoveLapsed removal ->
          Optional.of(into.removeLapsed(List.of(removal), Leases.NOTES));
      case Decision.TurnAway(Ticket ticket, String reason) ->
          Optional.of(into.turnAway(ticket, "no", Leases.NOTES));
      case Decision.GrantTicket(Ticket ticket, Verdict verdict) ->
          Optional.of(into.grant(ticket, Instant.EPOCH));
      case Decision.GrantCandidate grant -> {
        int i = Rules.requestOf(model, grant.candidate().ticketId());
        yield Optional.of(
            into.grant(grant.candidate(), grant.ticket(), new Proposal(model.grantId(i), 1, 1)));
      }
      case Decision.Enqueue(List<Candidate> candidates) ->
          Optional.of(Transaction.apart("enqueue", into.enqueue(candidates, Scenario.FAR)));
      case Decision.SetClock(Ticket ticket, Passed clock) ->
          Optional.of(into.setClock(ticket, clock));
      // What follows explains or prolongs, which nobody here depends on.
      case Decision.JudgeCheck judged -> Optional.empty();
      case Decision.TicketWaits waits -> Optional.empty();
      case Decision.CandidateWaits waits -> Optional.empty();
      case Decision.Refresh refresh -> Optional.empty();
    };
  }

  private static List<Candidate> candidates(Model model) {
    List<Candidate> pending = new ArrayList<>();
    for (int i = 0; i < model.row.length; i++) {
      if (!model.request(i).foreign() && model.row[i] == Row.PENDING) {
        pending.add(model.request(i).candidate().aged(Optional.ofNullable(model.age[i])));
      }
    }
    return pending;
  }

  /** No more hosts down than the policy of now allows. */
  private static Admission.Round round(Model model, Set<String> seen) {
    int budget = model.scenario.budgets().get(model.policy);
    return new Admission.Round() {
      @Override
      public Verdict judge(
          Collection<String> hosts, Collection<String> applications, Collection<LockRecord> held) {
        Set<String> down = new HashSet<>(hosts);
        held.forEach(lock -> down.add(lock.host()));
        Scenario.HOSTS.stream().filter(host -> !seen.contains(host)).forEach(down::add);
        return new Verdict(
            down.size() <= budget ? Verdict.Decision.GRANT : Verdict.Decision.HOLD, "", List.of());
      }

      @Override
      public boolean healthySince(String host, long mark) {
        return seen.contains(host);
      }
    };
  }

  /** Sends the next message; a proposal whose row moved on ends the pass. */
  private void next(Model model, int p) {
    List<Message> rest = model.rest.get(p);
    if (rest.isEmpty()) {
      return;
    }
    Message message = rest.getFirst();
    model.rest.set(p, rest.subList(1, rest.size()));
    for (Op op : message.transaction().operations()) {
      if (op instanceof Op.Put<?> put && put.key() instanceof Key.Grant grant) {
        int i = Rules.requestOf(model, grant.id());
        if (model.row[i] != Row.PENDING || !model.grantId(i).equals(grant.id())) {
          model.rest.set(p, List.of());
          return;
        }
        model.row[i] = Row.PROPOSED;
      }
    }
    model.network.add(message);
  }

  /** A message reaches etcd, and its sender, if there still is one, hears the answer. */
  void deliver(Model model, Message message) {
    ModelEtcd before = model.etcd;
    Transaction sent = parts.sent(message.transaction());
    ModelEtcd.Answer answer = before.commit(sent);
    for (Transaction part : answer.carried()) {
      Rules.grants(model, message, part);
      Rules.enters(model, part);
      Rules.leaves(model, part);
      Rules.ends(model, part);
    }
    if (message.transaction().compares().stream().allMatch(before::holds) && !answer.refused()) {
      Rules.group(before, message.transaction(), answer.after());
    }
    model.etcd = answer.after();
    Truth.ended(model, answer);
    Truth.learn(model);
    if (message.sender() != Message.NOBODY) {
      heard(model, message, whole(sent, answer), !answer.carried().isEmpty());
    }
  }

  private void heard(Model model, Message message, boolean whole, boolean carried) {
    if (Leavers.handsOver(message.transaction())) {
      Leavers.settled(model, message.sender(), carried);
    }
    if (!whole) {
      model.rest.set(message.sender(), List.of());
      Guests.turnBack(model, message.sender());
      return;
    }
    for (int i = 0; i < model.row.length; i++) {
      Key.Grant key = new Key.Grant(model.grantId(i));
      if (model.row[i] == Row.PROPOSED && Model.puts(message.transaction(), key)) {
        Truth.granted(model, i, model.etcd.created(key));
      }
    }
    next(model, message.sender());
    Guests.turnBack(model, message.sender());
  }

  /** What nobody has to decide about again; who walked in asks like everybody. */
  private static boolean whole(Transaction sent, ModelEtcd.Answer answer) {
    List<Transaction> carried = answer.carried();
    return !carried.isEmpty()
        && sent.operations().stream()
            .allMatch(
                op ->
                    !(op instanceof Op.Nested(Transaction part))
                        || Guests.grants(part)
                        || carried.contains(part));
  }
}
