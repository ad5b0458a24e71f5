package dev.drydock.lock.explorer;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.StoredValue;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.explorer.Model.Message;
import dev.drydock.lock.explorer.Model.Phase;
import dev.drydock.lock.explorer.Model.Row;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What has to be true, knowing nothing of how it is decided: of every grant that takes effect, and
 * of every state.
 */
final class Rules {
  private Rules() {}

  /** The requests that wait in line, by bit: those a decision made now may not pass. */
  static int inLine(Model model) {
    int line = 0;
    for (int i = 0; i < model.phase.length; i++) {
      if (seniority(model, i).isPresent() && (model.request(i).foreign() || pending(model, i))) {
        line |= 1 << i;
      }
    }
    return line;
  }

  private static boolean pending(Model model, int i) {
    return model.row[i] == Row.PENDING;
  }

  private static Optional<Seniority> seniority(Model model, int i) {
    String id = model.id(i);
    for (StoredValue<?> storedValue : model.etcd.everything()) {
      if (storedValue.value() instanceof Ticket ticket && ticket.id().equals(id)) {
        return Optional.of(ticket.seniority());
      }
    }
    return model.request(i).foreign() ? Optional.empty() : Optional.ofNullable(model.age[i]);
  }

  /** Grants are about to take effect. */
  static void grants(Model model, Message message, Transaction part) {
    if (!part.name().equals("grant")) {
      return;
    }
    locks(part).stream()
        .collect(Collectors.groupingBy(LockRecord::id))
        .values()
        .forEach(locks -> grant(model, message, locks));
  }

  /** A grant is about to take effect. */
  private static void grant(Model model, Message message, List<LockRecord> locks) {
    LockRecord first = locks.getFirst();
    int i = requestOf(model, first.id());
    Set<String> hosts = new HashSet<>();
    for (LockRecord lock : locks) {
      hosts.add(lock.host());
      require(model.lock(lock.host()) == null, "I2", lock.host() + " has a lock already");
      require(model.workers(lock.host()).isEmpty(), "I2", "somebody works on " + lock.host());
    }
    String id = first.id();
    require(hosts.equals(Set.copyOf(model.request(i).hosts())), "I4", id + " gets " + hosts);
    require(!model.etcd.has(new Key.Brake()), "BRAKE", id + " is granted while it is on");
    require(
        message.policy() >= model.acknowledged, "POLICY", id + " is granted by rules of before");
    require(
        model.phase[i] != Phase.OVER && model.phase[i] != Phase.LAPSED,
        "ONCE",
        id + " was served before");
    if (!model.request(i).foreign()) {
      require(
          model.row[i] == Row.PROPOSED && model.grantId(i).equals(id),
          "XOR",
          id + " is committed after it was void");
    }
    budget(model, hosts, id);
    order(model, message.inLine(), i);
  }

  private static void budget(Model model, Set<String> hosts, String id) {
    if (!model.scenario.counts()) {
      return;
    }
    Set<String> down = new HashSet<>(hosts);
    for (String host : Scenario.HOSTS) {
      if (model.dirty.contains(host)
          || model.lock(host) != null
          || !model.workers(host).isEmpty()) {
        down.add(host);
      }
    }
    int most = model.scenario.budgets().get(model.acknowledged);
    require(down.size() <= most, "I1", down + " are down with " + id + ", " + most + " may");
  }

  /**
   * Nobody is passed.
   *
   * @param line requests in line when it was decided
   */
  private static void order(Model model, int line, int i) {
    Seniority age = seniority(model, i).orElse(new Seniority(Long.MAX_VALUE, 0));
    for (int j = 0; j < model.phase.length; j++) {
      if (j == i || (line & (1 << j)) == 0 || !shares(model, i, j)) {
        continue;
      }
      Optional<Seniority> other = seniority(model, j);
      if (other.isPresent()
          && other.get().compareTo(age) < 0
          && servable(model, j)
          && !mayGoBefore(model, i, j)) {
        throw new Violation("I3: " + model.id(i) + " passes " + model.id(j));
      }
    }
  }

  /** It has a maximum, the other's clock is there, and it is gone before that one could begin. */
  private static boolean mayGoBefore(Model model, int i, int j) {
    Scenario.Request request = model.request(i);
    if (request.kind() != Scenario.Request.Kind.WAIT
        || request.maxSeconds() == 0
        || !model.etcd.has(new Key.Passed(model.id(j)))) {
      return false;
    }
    List<LockRecord> lacks =
        model.request(j).hosts().stream().map(model::lock).filter(Objects::nonNull).toList();
    return lacks.isEmpty()
        || lacks.stream()
            .anyMatch(lock -> lock.maxSeconds() == 0 || lock.maxSeconds() >= request.maxSeconds());
  }

  private static boolean shares(Model model, int i, int j) {
    return model.request(i).hosts().stream().anyMatch(model.request(j).hosts()::contains);
  }

  /** Neither gone nor waiting for what only people end. */
  private static boolean servable(Model model, int i) {
    if (quarantined(model, i)) {
      return false;
    }
    if (!model.request(i).foreign()) {
      return pending(model, i);
    }
    return model.etcd.has(new Key.Ticket(model.id(i), 0))
        && model.etcd.has(new Key.Alive(model.request(i).id()));
  }

  static boolean quarantined(Model model, int i) {
    return model.request(i).hosts().stream()
        .map(model::lock)
        .anyMatch(lock -> lock != null && lock.kind() == LockRecord.Kind.QUARANTINE);
  }

  /** Tickets are about to enter. */
  static void enters(Model model, Transaction part) {
    for (Op op : part.operations()) {
      if (op instanceof Op.Put<?> put
          && put.key() instanceof Key.Ticket key
          && !model.etcd.has(key)) {
        Phase phase = model.phase[requestOf(model, key.id())];
        require(
            phase != Phase.OVER && phase != Phase.LAPSED, "ONCE", key + " enters a second time");
      }
    }
  }

  /** The end of a lock is noted while it stands: what is said later of its hosts stays. */
  static void ends(Model model, Transaction part) {
    for (Op op : part.operations()) {
      if (op instanceof Op.Put<?> put && put.value() instanceof SessionLock.Over) {
        ModelEtcd.Cell cell = model.etcd.cells().get(put.key());
        require(
            cell != null && cell.value() instanceof SessionLock.Held,
            "ENDED",
            put.key() + " ends although it does not stand");
      }
    }
  }

  /** Who waits and lives keeps its place, unless its client gives it up. */
  static void leaves(Model model, Transaction part) {
    if (!part.name().equals("turn away")) {
      return;
    }
    for (Op op : part.operations()) {
      if (op instanceof Op.Delete(Key.Ticket key)) {
        Scenario.Request request = model.request(requestOf(model, key.id()));
        require(
            !request.foreign()
                || request.kind() == Scenario.Request.Kind.TRY
                || !model.etcd.has(new Key.Alive(request.id())),
            "PLACE",
            key + " is turned away although its client lives");
      }
    }
  }

  /** A group came through the fence: what could take effect by itself did. */
  static void group(ModelEtcd before, Transaction group, ModelEtcd after) {
    for (Op op : group.operations()) {
      if (op instanceof Op.Nested(Transaction part)
          && part.compares().stream().allMatch(before::holds)) {
        for (Op inner : part.operations()) {
          if (inner instanceof Op.Put<?> put) {
            ModelEtcd.Cell cell = after.cells().get(put.key());
            require(
                cell != null && cell.modified() > before.revision(),
                "ALONE",
                Texts.of(part) + " was lost with its group");
          }
        }
      }
    }
  }

  /** True in every state. */
  static void always(Model model) {
    for (String host : Scenario.HOSTS) {
      require(model.workers(host).size() <= 1, "I2", model.workers(host) + " both work on " + host);
    }
  }

  private static List<LockRecord> locks(Transaction part) {
    List<LockRecord> locks = new ArrayList<>();
    for (Op op : part.operations()) {
      if (op instanceof Op.Put<?> put && put.value() instanceof LockRecord lock) {
        locks.add(lock);
      } else if (op instanceof Op.Put<?> put && put.value() instanceof SessionLock session) {
        locks.addAll(session.held());
      }
    }
    return locks;
  }

  static int requestOf(Model model, String id) {
    for (int i = 0; i < model.phase.length; i++) {
      boolean own = model.id(i).equals(id);
      if (own || id.startsWith("g-" + model.request(i).id() + "-")) {
        return i;
      }
    }
    throw new IllegalStateException("nobody asked for " + id);
  }

  private static void require(boolean holds, String rule, String otherwise) {
    if (!holds) {
      throw new Violation(rule + ": " + otherwise);
    }
  }
}
