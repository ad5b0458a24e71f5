package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.txn.LockEnd;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.explorer.Model.Phase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Clients in a grantor's process, who let it end their locks. */
final class Leavers {
  private Leavers() {}

  /** What those at its door want to end; nobody is there any more. */
  static List<LockEnd> take(Model model, int p) {
    List<LockEnd> ends = new ArrayList<>();
    for (int i = 0; i < model.leaving.length; i++) {
      if (model.leaving[i] == p) {
        model.leaving[i] = Model.NOWHERE;
        int leaver = i;
        Replica.of(model.etcd.revision(), model.etcd.everything())
            .release(model.id(i))
            .ifPresent(
                release -> {
                  model.ending[leaver] = p;
                  ends.add(new LockEnd(release, 1, "owner", "done"));
                });
      }
    }
    return ends;
  }

  /** The grantor has an answer, or will get none: who is not gone has to look for itself. */
  static void settled(Model model, int p, boolean ended) {
    for (int i = 0; i < model.ending.length; i++) {
      if (model.ending[i] == p) {
        model.ending[i] = Model.NOWHERE;
        if (ended && model.phase[i] == Phase.LEAVING) {
          model.phase[i] = Phase.OVER;
        }
      }
    }
  }

  /** Nobody leads here any more. */
  static void close(Model model, int p) {
    for (int i = 0; i < model.leaving.length; i++) {
      if (model.leaving[i] == p) {
        model.leaving[i] = Model.NOWHERE;
      }
    }
  }

  /** The process ends, and everybody in it who was about to leave. */
  static void dieWith(Model model, int p) {
    for (int i = 0; i < model.leaving.length; i++) {
      if (model.leaving[i] == p || model.ending[i] == p) {
        model.phase[i] = Phase.LAPSED;
        model.leaving[i] = Model.NOWHERE;
        model.ending[i] = Model.NOWHERE;
      }
    }
  }

  static boolean handsOver(Transaction transaction) {
    return transaction.name().equals("hand over");
  }

  /** Hosts on which a lock ends by that. */
  static Set<String> hosts(Transaction transaction) {
    Set<String> hosts = new HashSet<>();
    for (Op op : transaction.operations()) {
      if (op instanceof Op.Put<?> put && put.value() instanceof SessionLock session) {
        session.left().stream().map(Ended::host).forEach(hosts::add);
      }
    }
    return hosts;
  }
}
