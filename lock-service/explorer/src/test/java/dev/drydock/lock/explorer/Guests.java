package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Decision;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.explorer.Model.Phase;
import java.util.ArrayList;
import java.util.List;

/** Clients in a grantor's process, who ask it without a ticket. */
final class Guests {
  private Guests() {}

  /** What those at its door want. */
  static List<Ticket> requests(Model model, int p) {
    List<Ticket> requests = new ArrayList<>();
    for (int i = 0; i < model.door.length; i++) {
      if (model.door[i] == p) {
        Ticket ticket = model.request(i).ticket(model.scenario.deadline());
        requests.add(ticket.walkingIn(requests.size() + 1));
      }
    }
    return requests;
  }

  /**
   * Nobody is at its door any more: they are being granted, or turned back to ask like everybody.
   *
   * @return whether somebody was turned back
   */
  static boolean decided(Model model, int p, List<Decision> decisions) {
    boolean turnedBack = false;
    for (int i = 0; i < model.door.length; i++) {
      if (model.door[i] == p) {
        model.door[i] = Model.NOWHERE;
        if (granted(decisions, model.id(i))) {
          model.granting[i] = p;
        } else {
          model.phase[i] = Phase.IDLE;
          turnedBack = true;
        }
      }
    }
    return turnedBack;
  }

  private static boolean granted(List<Decision> decisions, String id) {
    return decisions.stream()
        .anyMatch(
            decision ->
                decision instanceof Decision.GrantTicket grant && grant.ticket().id().equals(id));
  }

  /** Whose grant was lost, or is not known of, goes and asks like everybody. */
  static void turnBack(Model model, int p) {
    for (int i = 0; i < model.granting.length; i++) {
      if (model.granting[i] == p && !sent(model, p, i)) {
        model.granting[i] = Model.NOWHERE;
        if (model.phase[i] == Phase.ASKED) {
          model.phase[i] = Phase.IDLE;
        }
      }
    }
  }

  /** Whether its grantor still waits for the answer to its grant, or has yet to send it. */
  private static boolean sent(Model model, int p, int i) {
    Key.Session lock = new Key.Session(model.id(i));
    return model.network.stream()
            .anyMatch(message -> message.sender() == p && Model.puts(message.transaction(), lock))
        || model.rest.get(p).stream().anyMatch(message -> Model.puts(message.transaction(), lock));
  }

  static void die(Model model, int i) {
    model.phase[i] = Phase.DEAD;
    model.door[i] = Model.NOWHERE;
    model.granting[i] = Model.NOWHERE;
  }

  /** The process ends, and everybody in it who asked. */
  static void dieWith(Model model, int p) {
    for (int i = 0; i < model.door.length; i++) {
      if (model.door[i] == p || model.granting[i] == p) {
        die(model, i);
      }
    }
  }

  /** Nobody leads here any more. */
  static void close(Model model, int p) {
    decided(model, p, List.of());
  }

  /** Whether a transaction grants somebody who has no ticket. */
  static boolean grants(Transaction part) {
    return part.name().equals("grant")
        && part.operations().stream()
            .noneMatch(
                op ->
                    op instanceof Op.Delete(Key.Ticket ticket)
                        || op instanceof Op.Put<?> put && put.key() instanceof Key.Grant);
  }
}
