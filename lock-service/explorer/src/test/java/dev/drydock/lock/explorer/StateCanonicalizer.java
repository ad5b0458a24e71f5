package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.explorer.Model.Message;
import dev.drydock.lock.explorer.ModelEtcd.Cell;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Brings states to one form for all that differ only in how high revisions are: in each of the
 * {@link Spaces} the distinct ones are numbered. What is equal in two states of this form is the
 * same object in both, so that it is hashed, and what follows from it computed, once. Not
 * thread-safe.
 */
final class StateCanonicalizer {
  /** Above all that is left in a state of this form. */
  private static final long NOW = 90;

  private final Spaces spaces = new Spaces();
  private final Renumbering ranking = new Renumbering(spaces, spaces::rank);
  private final Renumbering collecting =
      new Renumbering(
          spaces,
          (space, revision) -> {
            spaces.add(space, revision);
            return revision;
          });
  private final Names<Transaction, Sent> transactions =
      new Names<>((first, number) -> new Sent(first, number, mentions(first)));
  private final Names<Object, Value> values = new Names<>(Value::new);
  private final Map<String, Etcd> etcdsByText = new HashMap<>();
  private final Map<ModelEtcd, Etcd> etcds = new IdentityHashMap<>();

  /** A revision that something speaks of. */
  private record Mention(int space, long revision) {}

  /** A transaction met before. */
  private record Sent(Transaction first, int number, List<Mention> mentions) {}

  /** A value met before. */
  private record Value(Object first, int number) {}

  /** An etcd met before. */
  private record Etcd(ModelEtcd first, int number, List<Mention> mentions) {}

  /**
   * Renumbers everything in place.
   *
   * @return all of the state in a few characters: the same for states of the same form alone
   */
  String renumber(Model model) {
    collect(model);
    model.network.replaceAll(this::ranked);
    model.rest.replaceAll(rest -> rest.isEmpty() ? rest : rest.stream().map(this::ranked).toList());
    int leader = spaces.created(new Key.Leader());
    for (int p = 0; p < Model.GRANTORS; p++) {
      model.fence[p] = spaces.rank(leader, model.fence[p]);
    }
    for (int i = 0; i < model.age.length; i++) {
      Seniority age = model.age[i];
      if (age != null) {
        model.age[i] = ranking.age(age);
      }
    }
    Etcd etcd = ranked(model.etcd);
    model.etcd = etcd.first();
    StateText text = new StateText(model, sent -> transactions.of(sent).number());
    return text.withEtcd(etcd.number());
  }

  private void collect(Model model) {
    spaces.clear();
    collect(model.etcd);
    model.network.forEach(this::collect);
    model.rest.forEach(rest -> rest.forEach(this::collect));
    int leader = spaces.created(new Key.Leader());
    for (int p = 0; p < Model.GRANTORS; p++) {
      spaces.add(leader, model.fence[p]);
    }
    for (int i = 0; i < model.age.length; i++) {
      Seniority age = model.age[i];
      if (age != null) {
        spaces.add(Spaces.AGES, age.revision());
      }
    }
  }

  private void collect(ModelEtcd etcd) {
    Etcd known = etcds.get(etcd);
    if (known == null) {
      etcd.cells().forEach((key, cell) -> visit(key, cell, collecting));
    } else {
      collect(known.mentions());
    }
  }

  private void collect(Message message) {
    collect(transactions.of(message.transaction()).mentions());
    spaces.add(Spaces.AGES, message.read());
  }

  private void collect(List<Mention> mentions) {
    for (Mention mention : mentions) {
      spaces.add(mention.space(), mention.revision());
    }
  }

  /** Whether they are what they would become. */
  private boolean ranked(List<Mention> mentions) {
    for (Mention mention : mentions) {
      if (spaces.rank(mention.space(), mention.revision()) != mention.revision()) {
        return false;
      }
    }
    return true;
  }

  private List<Mention> mentions(Transaction transaction) {
    List<Mention> mentions = new ArrayList<>();
    noting(mentions).transaction(transaction);
    return List.copyOf(mentions);
  }

  /** Changes nothing and notes what it comes across. */
  private Renumbering noting(List<Mention> mentions) {
    return new Renumbering(
        spaces,
        (space, revision) -> {
          mentions.add(new Mention(space, revision));
          return revision;
        });
  }

  private Message ranked(Message message) {
    Sent sent = transactions.of(message.transaction());
    Transaction transaction =
        ranked(sent.mentions())
            ? sent.first()
            : transactions.of(ranking.transaction(sent.first())).first();
    long read = spaces.rank(Spaces.AGES, message.read());
    return transaction == message.transaction() && read == message.read()
        ? message
        : new Message(message.sender(), transaction, message.policy(), read, message.inLine());
  }

  private Etcd ranked(ModelEtcd etcd) {
    Etcd known = etcds.get(etcd);
    if (known != null && ranked(known.mentions())) {
      return known;
    }
    etcd.cells().keySet().forEach(spaces::of); // From here on all are numbered.
    @Nullable Cell[] cells = new @Nullable Cell[spaces.keys()];
    etcd.cells().forEach((key, cell) -> cells[spaces.of(key)] = ranked(key, cell));
    CompactText text = new CompactText();
    for (int key = 0; key < cells.length; key++) {
      Cell cell = cells[key];
      if (cell != null) {
        text.add(key);
        text.add(values.of(cell.value()).number());
        text.add((int) cell.created());
        text.add((int) cell.modified());
        text.add((int) cell.lease());
      }
    }
    text.add(values.of(etcd.deadLeases()).number());
    return etcdsByText.computeIfAbsent(text.toString(), none -> first(cells, etcd.deadLeases()));
  }

  private Etcd first(@Nullable Cell[] ranked, long deadLeases) {
    Map<Key<?>, Cell> cells = new HashMap<>();
    for (int key = 0; key < ranked.length; key++) {
      Cell cell = ranked[key];
      if (cell != null) {
        cells.put(spaces.key(key), cell);
      }
    }
    List<Mention> mentions = new ArrayList<>();
    Renumbering noting = noting(mentions);
    cells.forEach((key, cell) -> visit(key, cell, noting));
    Etcd etcd =
        new Etcd(new ModelEtcd(NOW, cells, deadLeases), etcdsByText.size(), List.copyOf(mentions));
    etcds.put(etcd.first(), etcd);
    return etcd;
  }

  private Cell ranked(Key<?> key, Cell cell) {
    Cell visited = visit(key, cell, ranking);
    Object first = values.of(visited.value()).first();
    return new Cell(first, visited.created(), visited.modified(), visited.lease());
  }

  private Cell visit(Key<?> key, Cell cell, Renumbering by) {
    boolean matters = matters(key);
    return new Cell(
        by.value(cell.value()),
        matters ? by.revision(spaces.created(key), cell.created()) : 1,
        matters ? by.revision(spaces.modified(key), cell.modified()) : 1,
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
      case Key.Brake one -> false;
      case Key.Beat one -> false;
      case Key.Epoch one -> false;
      case Key.Passed one -> true;
      case Key.Term one -> false;
      case Key.Ended one -> false;
      case Key.Verdict one -> false;
    };
  }
}
