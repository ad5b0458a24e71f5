package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.GenerationCause;
import dev.drydock.lock.core.txn.GrantTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.StoreSnapshot;
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
      GenerationCause generationCause = new GenerationCause("settle", "grantor", "");
      model.etcd =
          model
              .etcd
              .commit(parts.sent(ControlTransactions.bumpGeneration(generationCause)))
              .after();
      model.unsettled[p] = false;
      did = "settles ";
    }
    StoreSnapshot storeSnapshot = model.etcd.snapshot();
    if (storeSnapshot.leader() != model.fence[p]) {
      model.fence[p] = 0;
      return did + "is deposed";
    }
    for (StoreSnapshot.Uncounted uncounted : storeSnapshot.uncounted()) {
      int i = Rules.requestOf(model, uncounted.lock().id());
      Transaction count =
          TicketTransactions.countLease(uncounted, Leases.counted(i), Leases.term(i));
      model.etcd = model.etcd.commit(parts.sent(count)).after();
      did += "counts ";
    }
    List<GrantorDecision> decisions = decisions(model, storeSnapshot);
    List<Message> messages = messages(model, p, storeSnapshot, decisions);
    if (!messages.isEmpty()) {
      did += "sends " + Texts.of(messages.getFirst().transaction());
      model.rest.set(p, messages);
      next(model, p);
    }
    return did;
  }

  private List<GrantorDecision> decisions(Model model, StoreSnapshot storeSnapshot) {
    Instant now = model.late ? Scenario.LATER : Instant.EPOCH;
    LockTable table = storeSnapshot.table();
    GrantorPass.Witnessed witnessed = new GrantorPass.Witnessed(Set.of(), lapsing(model, table));
    GrantorPass.Input input =
        new GrantorPass.Input(table, candidates(model), List.of(), now, witnessed);
    return parts.decide(input, round(model), GrantorPass.Limits.DEFAULT);
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
      Model model, int p, StoreSnapshot storeSnapshot, List<GrantorDecision> decisions) {
    Fence fence = new Fence(Optional.of(model.fence[p]), storeSnapshot.generation());
    GrantTransactions transactions = new GrantTransactions(storeSnapshot);
    int line = Rules.inLine(model);
    List<Message> messages = new ArrayList<>();
    for (List<GrantorDecision> group : parts.groups(decisions)) {
      List<Transaction> written = new ArrayList<>();
      if (group.getFirst() instanceof GrantorDecision.RemoveLapsed) {
        written.add(transactions.removeLapsed(removals(group), Leases.NOTES));
      } else {
        group.forEach(decision -> write(model, transactions, decision).ifPresent(written::add));
      }
      if (!written.isEmpty()) {
        Transaction sent =
            written.size() == 1 ? fence.guard(written.getFirst()) : fence.group("group", written);
        messages.add(new Message(p, sent, model.policy, model.etcd.revision(), line));
      }
    }
    return messages;
  }

  private static List<GrantorDecision.RemoveLapsed> removals(List<GrantorDecision> group) {
    return group.stream().map(GrantorDecision.RemoveLapsed.class::cast).toList();
  }

  private Optional<Transaction> write(
      Model model, GrantTransactions into, GrantorDecision decision) {
    return switch (decision) {
      case GrantorDecision.NoteLapse(LockRecord lock) -> Optional.of(into.noteLapse(lock, 1));
      case GrantorDecision.RemoveLapsed removal ->
          Optional.of(into.removeLapsed(List.of(removal), Leases.NOTES));
      case GrantorDecision.TurnAway(Ticket ticket, String reason) ->
          Optional.of(into.turnAway(ticket, "no", Leases.NOTES));
      case GrantorDecision.GrantTicket(Ticket ticket, Verdict verdict) ->
          Optional.of(into.grant(ticket, Instant.EPOCH));
      case GrantorDecision.GrantCandidate grant -> {
        int i = Rules.requestOf(model, grant.candidate().ticketId());
        yield Optional.of(
            into.grant(grant.candidate(), grant.ticket(), new Proposal(model.grantId(i), 1, 1)));
      }
      case GrantorDecision.Enqueue(List<Candidate> candidates) ->
          Optional.of(apart("enqueue", into.enqueue(candidates, Scenario.FAR)));
      case GrantorDecision.SetClock(Ticket ticket, BackfillClock clock) ->
          Optional.of(into.setClock(ticket, clock));
      // What follows explains or prolongs, which nobody here depends on.
      case GrantorDecision.JudgeCheck judged -> Optional.empty();
      case GrantorDecision.TicketWaits waits -> Optional.empty();
      case GrantorDecision.CandidateWaits waits -> Optional.empty();
      case GrantorDecision.Refresh refresh -> Optional.empty();
    };
  }

  private static Transaction apart(String name, List<Transaction> parts) {
    return new Transaction(
        name, List.of(), parts.stream().<Op>map(Op.Nested::new).toList(), List.of());
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
  private static Admission.Round round(Model model) {
    int budget = model.scenario.budgets().get(model.policy);
    return new Admission.Round() {
      @Override
      public Verdict judge(
          Collection<String> hosts, Collection<String> applications, Collection<LockRecord> held) {
        Set<String> down = new HashSet<>(hosts);
        held.forEach(lock -> down.add(lock.host()));
        Scenario.HOSTS.stream().filter(host -> !model.seen.contains(host)).forEach(down::add);
        return new Verdict(
            down.size() <= budget ? Verdict.Decision.GRANT : Verdict.Decision.WAIT, "", List.of());
      }

      @Override
      public boolean healthySince(String host, long mark) {
        return model.seen.contains(host);
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
    ActualEffects.ended(model, answer);
    ActualEffects.learn(model);
    if (message.sender() != Message.NOBODY) {
      heard(model, message, whole(sent, answer));
    }
  }

  private void heard(Model model, Message message, boolean whole) {
    if (!whole) {
      model.rest.set(message.sender(), List.of());
      return;
    }
    for (int i = 0; i < model.row.length; i++) {
      Key.Grant key = new Key.Grant(model.grantId(i));
      if (model.row[i] == Row.PROPOSED && Model.puts(message.transaction(), key)) {
        ActualEffects.granted(model, i, model.etcd.created(key));
      }
    }
    next(model, message.sender());
  }

  /** Whether nobody has to decide about any of it again. */
  private static boolean whole(Transaction sent, ModelEtcd.Answer answer) {
    List<Transaction> carried = answer.carried();
    return !carried.isEmpty()
        && sent.operations().stream()
            .allMatch(op -> !(op instanceof Op.Nested(Transaction part)) || carried.contains(part));
  }
}
