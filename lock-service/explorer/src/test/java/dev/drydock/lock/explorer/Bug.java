package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Backfill;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.CommitGroups;
import dev.drydock.lock.core.txn.Compare;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Ways to get it wrong, each a small change of what is decided, grouped, compared or written. */
final class Bug {
  private Bug() {}

  /** Every transaction of this name without the compares that fit. */
  static Parts without(String name, Predicate<Compare> compares) {
    return sending(
        name,
        transaction ->
            new Transaction(
                transaction.name(),
                transaction.compares().stream().filter(compares.negate()).toList(),
                transaction.operations(),
                transaction.otherwise()));
  }

  /** Every transaction without the compares that fit. */
  static Parts without(Predicate<Compare> compares) {
    return without("", compares);
  }

  /** Every transaction of this name without the puts that fit. */
  static Parts withoutPut(String name, Predicate<Key<?>> keys) {
    return sending(
        name,
        transaction ->
            new Transaction(
                transaction.name(),
                transaction.compares(),
                transaction.operations().stream()
                    .filter(op -> !(op instanceof Op.Put<?> put && keys.test(put.key())))
                    .toList(),
                transaction.otherwise()));
  }

  /** Two bugs in what is sent, where either alone does no harm. */
  static Parts both(Parts one, Parts other) {
    return new Parts() {
      @Override
      public Transaction sent(Transaction transaction) {
        return other.sent(one.sent(transaction));
      }
    };
  }

  /** These locks go with a lease. */
  static Parts leased(Predicate<LockRecord> locks, long lease) {
    return sending(
        "grant",
        transaction ->
            new Transaction(
                transaction.name(),
                transaction.compares(),
                transaction.operations().stream().map(op -> leased(op, locks, lease)).toList(),
                transaction.otherwise()));
  }

  private static Op leased(Op op, Predicate<LockRecord> locks, long lease) {
    if (!(op instanceof Op.Put<?> put)) {
      return op;
    }
    return switch (put.value()) {
      case LockRecord lock when locks.test(lock) ->
          new Op.Put<>(new Key.Lock(lock.host()), lock, lease);
      case SessionLock session when session.held().stream().anyMatch(locks) ->
          new Op.Put<>(new Key.Session(session.held().getFirst().id()), session, lease);
      default -> op;
    };
  }

  /** A group stands and falls together. */
  static Parts oneForAll() {
    return sending(
        "group",
        group -> {
          List<Compare> compares = new ArrayList<>(group.compares());
          List<Op> operations = new ArrayList<>();
          for (Op op : group.operations()) {
            if (op instanceof Op.Nested(Transaction part)) {
              compares.addAll(part.compares());
              operations.addAll(part.operations());
            } else {
              operations.add(op);
            }
          }
          return new Transaction(group.name(), compares, operations, group.otherwise());
        });
  }

  private static Parts sending(String name, UnaryOperator<Transaction> change) {
    return new Parts() {
      @Override
      public Transaction sent(Transaction transaction) {
        List<Op> operations =
            transaction.operations().stream()
                .<Op>map(
                    op ->
                        op instanceof Op.Nested(Transaction part) ? new Op.Nested(sent(part)) : op)
                .toList();
        Transaction inside =
            new Transaction(
                transaction.name(), transaction.compares(), operations, transaction.otherwise());
        return transaction.name().equals(name) || name.isEmpty() ? change.apply(inside) : inside;
      }
    };
  }

  /** Whoever is past the deadline that its ticket shows counts as gone. */
  static Parts deadlinesCount() {
    return new Parts() {
      @Override
      public List<GrantorDecision> decide(
          GrantorPass.Input input, Admission.Round round, GrantorPass.Limits limits) {
        LockTable table = input.table();
        Set<String> alive = new HashSet<>(table.alive());
        table.tickets().stream()
            .filter(ticket -> input.now().isAfter(ticket.pollDeadline()))
            .forEach(ticket -> alive.remove(ticket.id()));
        LockTable seen = seen(table, table.locks(), table.tickets(), alive);
        return GrantorPass.decide(
            new GrantorPass.Input(
                seen, input.candidates(), input.checks(), input.now(), input.witnessed()),
            round,
            limits);
      }
    };
  }

  /** A lock is taken for lapsed as soon as it expired. */
  static Parts withoutDelay() {
    return seeingAtOnce(table -> table);
  }

  /** The locks of a table that is another one expired a lease ago. */
  static Parts seeingAtOnce(UnaryOperator<LockTable> other) {
    return new Parts() {
      @Override
      public List<GrantorDecision> decide(
          GrantorPass.Input input, Admission.Round round, GrantorPass.Limits limits) {
        LockTable table = other.apply(input.table());
        return GrantorPass.decide(
            new GrantorPass.Input(
                table,
                input.candidates(),
                input.checks(),
                input.now(),
                new GrantorPass.Witnessed(Set.of(), table.locks().keySet())),
            round,
            limits);
      }
    };
  }

  /** Decides as if the table were another one. */
  static Parts seeing(UnaryOperator<LockTable> other) {
    return new Parts() {
      @Override
      public List<GrantorDecision> decide(
          GrantorPass.Input input, Admission.Round round, GrantorPass.Limits limits) {
        return GrantorPass.decide(
            new GrantorPass.Input(
                other.apply(input.table()),
                input.candidates(),
                input.checks(),
                input.now(),
                input.witnessed()),
            round,
            limits);
      }
    };
  }

  /** A quarantine looks like any hold. */
  static LockTable quarantineIsAHold(LockTable table) {
    Map<String, LockRecord> locks = new HashMap<>();
    table.locks().forEach((host, lock) -> locks.put(host, plain(lock)));
    return seen(table, locks, table.tickets(), table.alive());
  }

  /** Holders of locks look dead; only transactions know better. */
  static LockTable nobodyLives(LockTable table) {
    Set<String> alive = new HashSet<>(table.alive());
    table.locks().values().forEach(lock -> alive.remove(lock.id()));
    return seen(table, table.locks(), table.tickets(), alive);
  }

  /** What was there before the last lock was granted, which no fence compares with. */
  static LockTable beforeTheLastGrant(LockTable table) {
    Map<String, LockRecord> locks = new HashMap<>(table.locks());
    long last = locks.values().stream().mapToLong(LockRecord::token).max().orElse(0);
    locks.values().removeIf(lock -> lock.token() == last);
    return seen(table, locks, table.tickets(), table.alive());
  }

  private static LockRecord plain(LockRecord lock) {
    if (lock.kind() != LockRecord.Kind.QUARANTINE) {
      return lock;
    }
    Candidate batch =
        new Candidate(
            lock.id(),
            lock.rollout().orElseThrow(),
            List.of(lock.host()),
            lock.holder(),
            lock.reason());
    return Grants.batch(batch, new Proposal(lock.id(), lock.epoch(), lock.beat()))
        .getFirst()
        .withStage(lock.stage())
        .withToken(lock.token());
  }

  /** Whoever has a maximum goes before everybody, however long it is. */
  static Parts withoutBound() {
    return new Parts() {
      @Override
      public List<GrantorDecision> decide(
          GrantorPass.Input input, Admission.Round round, GrantorPass.Limits limits) {
        GrantorPass.Limits wide =
            new GrantorPass.Limits(
                limits.ticketsPerRollout(),
                limits.grants(),
                limits.hostsPerGrant(),
                limits.refreshBelow(),
                new Backfill(Duration.ofDays(1000), Duration.ofDays(-1000)));
        return GrantorPass.decide(input, round, wide);
      }
    };
  }

  /** Nobody writes down that a ticket was passed. */
  static Parts withoutClocks() {
    return new Parts() {
      @Override
      public List<List<GrantorDecision>> groups(List<GrantorDecision> decisions) {
        return CommitGroups.of(
            decisions.stream().filter(one -> !(one instanceof GrantorDecision.SetClock)).toList());
      }
    };
  }

  /** A batch does not mind who waits for several hosts. */
  static Parts batchesPass() {
    return seeing(
        table ->
            seen(
                table,
                table.locks(),
                table.tickets().stream().filter(ticket -> ticket.hosts().size() == 1).toList(),
                table.alive()));
  }

  /** Whoever only tries does not mind the queue. */
  static Parts triesPass() {
    return new Parts() {
      @Override
      public List<GrantorDecision> decide(
          GrantorPass.Input input, Admission.Round round, GrantorPass.Limits limits) {
        List<GrantorDecision> decisions = new ArrayList<>();
        LockTable table = input.table();
        for (boolean tries : new boolean[] {true, false}) {
          List<Ticket> some =
              table.tickets().stream()
                  .filter(ticket -> (ticket.mode() == Ticket.Mode.TRY) == tries)
                  .toList();
          if (tries && some.isEmpty()) {
            continue;
          }
          LockTable shown = seen(table, table.locks(), some, table.alive());
          decisions.addAll(
              GrantorPass.decide(
                  new GrantorPass.Input(
                      shown,
                      tries ? List.of() : input.candidates(),
                      input.checks(),
                      input.now(),
                      input.witnessed()),
                  round,
                  limits));
          if (tries) {
            return decisions;
          }
        }
        return decisions;
      }
    };
  }

  /** The table as somebody mistaken sees it. */
  private static LockTable seen(
      LockTable table, Map<String, LockRecord> locks, List<Ticket> tickets, Set<String> alive) {
    return new LockTable(
        table.revision(), locks, tickets, table.ended(), alive, table.brake(), table.passed());
  }
}
