package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.TicketNote;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.explorer.Model.Phase;
import dev.drydock.lock.explorer.Model.Row;

/** What happens in the world because of what was written. */
final class ActualEffects {
  private ActualEffects() {}

  /** Clients hear of their grants and refusals; at once is the hardest for everybody else. */
  static void learn(Model model) {
    for (int i = 0; i < model.phase.length; i++) {
      if (model.request(i).foreign() && model.phase[i] == Phase.ASKED) {
        String id = model.id(i);
        ModelEtcd.Cell note = model.etcd.cells().get(new Key.Verdict(id));
        if (model.request(i).hosts().stream().anyMatch(host -> holds(model, host, id))) {
          model.phase[i] = Phase.HOLDS;
          model.request(i).hosts().forEach(model.dirty::add);
        } else if (note != null
            && ((TicketNote) note.value()).state() == TicketNote.State.REFUSED) {
          model.phase[i] = Phase.OVER;
        }
      }
    }
  }

  private static boolean holds(Model model, String host, String id) {
    var lock = model.lock(host);
    return lock != null && lock.id().equals(id);
  }

  /** A batch starts once its row says that it is granted. */
  static void granted(Model model, int i, long revision) {
    model.row[i] = Row.GRANTED;
    if (model.age[i] == null) {
      model.age[i] = new Seniority(revision, 0);
    }
    model.request(i).hosts().forEach(model.dirty::add);
  }

  /** A row is told that its grant never was. */
  static void voided(Model model, int i) {
    String grant = model.grantId(i);
    if (model.request(i).hosts().stream().anyMatch(host -> holds(model, host, grant))) {
      throw new Violation("XOR: " + grant + " is void and has a lock");
    }
  }

  /** Whatever was seen of a host before the end of a lock says nothing any more. */
  static void ended(Model model, ModelEtcd.Answer answer) {
    for (Transaction part : answer.carried()) {
      for (Op op : part.operations()) {
        if (model.scenario.counts() && op instanceof Op.Put<?> put) {
          if (put.key() instanceof Key.Ended ended) {
            model.seen.remove(ended.host());
          } else if (put.value() instanceof SessionLock session) {
            session.left().forEach(end -> model.seen.remove(end.host()));
          }
        }
      }
    }
  }

  /** A host was seen healthy. */
  static void observed(Model model, String host) {
    model.seen.add(host);
    if (model.workers(host).isEmpty()) {
      model.dirty.remove(host);
    }
  }
}
