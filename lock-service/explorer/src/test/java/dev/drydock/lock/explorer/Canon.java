package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Compare;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Brings a state to one form for all that differ only in how high revisions are. Ages of tickets
 * are compared with each other, so their order is kept; every other revision is only ever compared
 * with that of the same key, so for each key the distinct ones are numbered.
 */
final class Canon {
  /** Above all that is left in a state of this form. */
  private static final long NOW = 90;

  private static final String AGES = "ages";

  private final Map<Object, TreeSet<Long>> spaces = new HashMap<>();
  private final Map<Object, Map<Long, Long>> ranks = new HashMap<>();

  private Canon() {}

  /** Renumbers everything in place. */
  static void renumber(Model model) {
    Canon canon = new Canon();
    canon.visit(model, false);
    canon.spaces.forEach(
        (space, revisions) -> {
          Map<Long, Long> rank = new HashMap<>();
          long next = 1;
          for (long revision : revisions) {
            rank.put(revision, next++);
          }
          canon.ranks.put(space, rank);
        });
    canon.visit(model, true);
  }

  private long map(Object space, long revision, boolean rank) {
    if (revision <= 0) {
      return revision;
    }
    if (rank) {
      return Objects.requireNonNull(Objects.requireNonNull(ranks.get(space)).get(revision));
    }
    spaces.computeIfAbsent(space, none -> new TreeSet<>()).add(revision);
    return revision;
  }

  private void visit(Model model, boolean rank) {
    Map<Key<?>, ModelEtcd.Cell> cells = new HashMap<>();
    model.etcd.cells().forEach((key, cell) -> cells.put(key, cell(key, cell, rank)));
    model.network.replaceAll(message -> message(message, rank));
    model.rest.replaceAll(rest -> rest.stream().map(one -> message(one, rank)).toList());
    for (int p = 0; p < Model.GRANTORS; p++) {
      model.fence[p] = map(created(new Key.Leader()), model.fence[p], rank);
    }
    for (int i = 0; i < model.age.length; i++) {
      Seniority age = model.age[i];
      if (age != null) {
        model.age[i] = age(age, rank);
      }
    }
    if (rank) {
      model.etcd = new ModelEtcd(NOW, cells, model.etcd.deadLeases());
    }
  }

  private ModelEtcd.Cell cell(Key<?> key, ModelEtcd.Cell cell, boolean rank) {
    boolean matters = matters(key);
    return new ModelEtcd.Cell(
        key instanceof Key.Entered ? "" : value(cell.value(), rank),
        matters ? map(created(key), cell.created(), rank) : 1,
        matters ? map(modified(key), cell.modified(), rank) : 1,
        cell.lease());
  }

  /** What no transaction compares the revision of needs none. */
  private static boolean matters(Key<?> key) {
    return switch (key) {
      case Key.Lock one -> true;
      case Key.Session one -> true;
      case Key.Ticket one -> true;
      case Key.Alive one -> true;
      case Key.Leader one -> true;
      case Key.Generation one -> true;
      case Key.Grant one -> true;
      case Key.Entered one -> true;
      case Key.Brake one -> false;
      case Key.Beat one -> false;
      case Key.Epoch one -> false;
      case Key.Passed one -> true;
      case Key.Term one -> false;
      case Key.Ended one -> false;
      case Key.Verdict one -> false;
    };
  }

  private static Object created(Key<?> key) {
    return key instanceof Key.Ticket || key instanceof Key.Grant ? AGES : key;
  }

  private static Object modified(Key<?> key) {
    return new Modified(key);
  }

  /** The space of a key's modification revisions. */
  private record Modified(Key<?> key) {}

  private Object value(Object value, boolean rank) {
    return switch (value) {
      case Ticket ticket when ticket.brought().isPresent() ->
          ticket.aged(ticket.brought().map(age -> age(age, rank)));
      case Ended end when end.token() > 0 ->
          new Ended(
              end.host(),
              end.lockId(),
              map(created(new Key.Session(end.lockId())), end.token(), rank),
              end.mark(),
              end.by(),
              end.reason());
      default -> value;
    };
  }

  private Seniority age(Seniority age, boolean rank) {
    return new Seniority(map(AGES, age.revision(), rank), age.index());
  }

  private Model.Message message(Model.Message message, boolean rank) {
    return new Model.Message(
        message.sender(),
        transaction(message.transaction(), rank),
        message.policy(),
        map(AGES, message.read(), rank),
        message.inLine());
  }

  private Transaction transaction(Transaction transaction, boolean rank) {
    List<Compare> compares = new ArrayList<>();
    transaction.compares().forEach(compare -> compares.add(compare(compare, rank)));
    List<Op> operations = new ArrayList<>();
    transaction.operations().forEach(op -> operations.add(op(op, rank)));
    return compares.equals(transaction.compares()) && operations.equals(transaction.operations())
        ? transaction
        : new Transaction(transaction.name(), compares, operations, transaction.otherwise());
  }

  private Compare compare(Compare compare, boolean rank) {
    return switch (compare) {
      case Compare.Created(Key<?> key, long at) ->
          new Compare.Created(key, map(created(key), at, rank));
      case Compare.Modified(Key<?> key, long at) ->
          new Compare.Modified(key, map(modified(key), at, rank));
      case Compare.Present present -> present;
    };
  }

  private Op op(Op op, boolean rank) {
    return switch (op) {
      case Op.Put<?> put -> put(put, rank);
      case Op.Nested(Transaction part) -> new Op.Nested(transaction(part, rank));
      case Op.Delete delete -> delete;
      case Op.Get get -> get;
    };
  }

  @SuppressWarnings("unchecked") // The same type comes back.
  private <V> Op.Put<V> put(Op.Put<V> put, boolean rank) {
    Object value = value(put.value(), rank);
    return value == put.value() ? put : new Op.Put<>(put.key(), (V) value, put.lease());
  }

  /** Numbers things met before. Not thread-safe. */
  static final class Names {
    private final Map<Object, Integer> numbers = new HashMap<>();

    int of(Object thing) {
      Integer known = numbers.get(thing);
      if (known == null) {
        known = numbers.size();
        numbers.put(thing, known);
      }
      return known;
    }
  }

  /** All of a renumbered state in a few characters. */
  static String key(Model model, Names names) {
    StringBuilder key = new StringBuilder(160);
    Map<Integer, ModelEtcd.Cell> cells = new TreeMap<>();
    model.etcd.cells().forEach((name, cell) -> cells.put(names.of(name), cell));
    cells.forEach(
        (name, cell) -> {
          put(key, name);
          put(key, names.of(cell.value()));
          put(key, (int) cell.created());
          put(key, (int) cell.modified());
          put(key, (int) cell.lease());
        });
    key.append('\u00ff');
    put(key, names.of(model.etcd.deadLeases()));
    for (int i = 0; i < model.phase.length; i++) {
      put(
          key,
          (model.phase[i].ordinal() * 8 + model.row[i].ordinal()) * 2 + (model.lapsing[i] ? 1 : 0));
      put(key, model.attempt[i]);
      put(key, model.age[i] == null ? 0 : 1 + names.of(model.age[i]));
    }
    List<String> grantors = new ArrayList<>();
    for (int p = 0; p < Model.GRANTORS; p++) {
      grantors.add(grantor(model, p, names));
    }
    // Which of two grantors is which makes no difference.
    grantors.sort(null);
    grantors.forEach(key::append);
    List<Integer> unheard = new ArrayList<>();
    model.network.stream()
        .filter(message -> message.sender() == Model.Message.NOBODY)
        .forEach(message -> unheard.add(names.of(message)));
    unheard.sort(null);
    unheard.forEach(number -> put(key, number));
    key.append('\u00ff');
    put(key, model.policy * 4 + model.acknowledged * 2 + (model.late ? 1 : 0));
    int hosts = 0;
    for (String host : Scenario.HOSTS) {
      hosts =
          hosts * 4 + (model.seen.contains(host) ? 2 : 0) + (model.dirty.contains(host) ? 1 : 0);
    }
    put(key, hosts);
    for (int left : model.left) {
      key.append((char) left);
    }
    key.append((char) model.total);
    return key.toString();
  }

  private static String grantor(Model model, int p, Names names) {
    StringBuilder key = new StringBuilder();
    put(key, (int) model.fence[p]);
    key.append(model.unsettled[p] ? 'u' : 's');
    for (int i = 0; i < model.door.length; i++) {
      int asks = (model.door[i] == p ? 1 : 0) + (model.granting[i] == p ? 2 : 0);
      int leaves = (model.leaving[i] == p ? 4 : 0) + (model.ending[i] == p ? 8 : 0);
      put(key, asks + leaves);
    }
    for (Model.Message message : model.network) {
      if (message.sender() == p) {
        put(key, 1 + names.of(message.unheard()));
      }
    }
    key.append('\u00fe');
    for (Model.Message message : model.rest.get(p)) {
      put(key, 1 + names.of(message.unheard()));
    }
    return key.append('\u00fd').toString();
  }

  private static void put(StringBuilder key, int number) {
    if (number >= 0xf0) {
      key.append((char) (0xf0 + (number >> 14))).append((char) (number >> 7 & 0x7f));
      key.append((char) (number & 0x7f));
    } else {
      key.append((char) number);
    }
  }
}
