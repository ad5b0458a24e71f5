package dev.drydock.impact.simulation;

import dev.drydock.lock.core.Ticket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Others who do maintenance: they come, wait, work, and some die over it. */
final class Clients {
  private static final double LEASE_SECONDS = 10;
  private static final double DIES = 0.15;
  private static final double DIES_IN_BAD_TIMES = 0.7;
  private static final double BAD_TIMES = 0.2;

  private final Agenda agenda;
  private final SimulatedFleet simulatedFleet;
  private final Store store;
  private final Map<String, Ticket> asked = new HashMap<>();
  private Runnable changed = () -> {};
  private final double dies;
  private int numbers;

  /** Whoever ignores that locks lapse is sought where most clients die. */
  Clients(Agenda agenda, SimulatedFleet simulatedFleet, Store store, Bug bug) {
    this.agenda = agenda;
    this.simulatedFleet = simulatedFleet;
    this.store = store;
    boolean bad = agenda.chance(BAD_TIMES) || bug == Bug.IGNORES_LAPSED_LOCKS;
    dies = bad ? DIES_IN_BAD_TIMES : DIES;
  }

  void whenChanged(Runnable then) {
    changed = then;
  }

  /** One comes for some hosts. */
  void comes(List<String> hosts) {
    boolean tries = agenda.chance(0.2);
    int patience = agenda.whole(60, 2000);
    Ticket ticket =
        new Ticket(
                "client-" + ++numbers,
                tries ? Ticket.Mode.TRY : Ticket.Mode.WAIT,
                hosts,
                List.of(),
                "somebody",
                "firmware",
                agenda.now().plusSeconds(patience),
                patience,
                (int) LEASE_SECONDS)
            .lasting(agenda.chance(0.5) ? agenda.whole(20, 150) : 0);
    asked.put(ticket.id(), ticket);
    store.enter(List.of(ticket));
    agenda.in(patience, () -> leaves(ticket));
    if (agenda.chance(dies / 4)) {
      agenda.in(agenda.between(1, 60), () -> dies(ticket.id()));
    }
    changed.run();
  }

  private void leaves(Ticket ticket) {
    if (store.waits(ticket.id())) {
      store.leave(ticket.id());
      changed.run();
    }
  }

  private void dies(String id) {
    agenda.in(
        agenda.between(0, LEASE_SECONDS),
        () -> {
          store.die(id);
          changed.run();
        });
  }

  void turnedAway(String id) {
    asked.remove(id);
  }

  void granted(String id) {
    Ticket ticket = asked.remove(id);
    if (ticket == null) {
      throw new IllegalStateException("nobody asked for " + id);
    }
    if (agenda.chance(0.6)) {
      ticket.hosts().forEach(host -> simulatedFleet.work(host, id));
    }
    if (ticket.maxSeconds() > 0) {
      agenda.in(ticket.maxSeconds() + 1, () -> termIsOver(id));
    }
    double works = agenda.between(5, 160);
    if (agenda.chance(dies)) {
      dies(id);
      agenda.in(works, () -> ticket.hosts().forEach(host -> abandons(host, id)));
    } else {
      agenda.in(works, () -> ends(ticket));
    }
  }

  /** Its work stops half done: some of what runs there comes back, and some does not for long. */
  private void abandons(String host, String id) {
    simulatedFleet.workEnds(host, id);
    simulatedFleet.crash(host, agenda.between(30, 300));
  }

  private void termIsOver(String id) {
    if (store.lives(id)) {
      store.die(id);
      changed.run();
    }
  }

  private void ends(Ticket ticket) {
    ticket.hosts().forEach(host -> simulatedFleet.workEnds(host, ticket.id()));
    if (store.lives(ticket.id())) {
      store.end(ticket.id());
      changed.run();
    }
  }
}
