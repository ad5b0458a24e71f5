package dev.drydock.lock.core;

import static dev.drydock.lock.core.Samples.locks;
import static dev.drydock.lock.core.Samples.session;
import static dev.drydock.lock.core.Samples.table;
import static dev.drydock.lock.core.Samples.ticket;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Ticket.Mode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Where a ticket stands, and why. */
class HostQueueTest {
  @Test
  void explainsThePlaceInTheQueue() {
    Ticket last = ticket("t3", Mode.WAIT, 7, "h1", "h2");
    LockTable table =
        table(
            locks(session("t0", "h2")),
            ticket("t1", Mode.WAIT, 5, "h1"),
            ticket("t2", Mode.WAIT, 6, "h1"),
            last);

    HostQueue.Place place = HostQueue.place(table, last, Backfill.DEFAULT);

    assertThat(place.position()).isEqualTo(3);
    assertThat(place.explanation())
        .contains("ticket t1")
        .contains("h2 is held by someone")
        .as("nothing says when t1 begins, which waits for nobody")
        .doesNotContain("reserved for it");
    assertThat(HostQueue.place(table, table.tickets().get(1), Backfill.DEFAULT).explanation())
        .isEqualTo("h1 is awaited by someone, who came first (ticket t1: maintenance)");
    assertThat(HostQueue.places(table, Backfill.DEFAULT)).containsEntry(last, place);
  }

  @Test
  void placesOfAllAreThoseOfEach() {
    Prop.check(
        "places",
        200,
        random -> {
          List<Ticket> tickets = new ArrayList<>();
          for (int i = 0; i < 12; i++) {
            List<String> hosts =
                Stream.of("h1", "h2", "h3", "h4").filter(host -> random.nextInt(3) == 0).toList();
            tickets.add(
                ticket(
                    "t" + i,
                    Mode.WAIT,
                    random.nextInt(9),
                    hosts.isEmpty() ? new String[] {"h1"} : hosts.toArray(String[]::new)));
          }
          tickets.sort(Ticket.ORDER);
          LockTable table = table(locks(session("t", "h2")), tickets.toArray(Ticket[]::new));
          Map<Ticket, HostQueue.Place> each = new HashMap<>();
          tickets.forEach(
              ticket -> each.put(ticket, HostQueue.place(table, ticket, Backfill.DEFAULT)));
          assertThat(HostQueue.places(table, Backfill.DEFAULT)).isEqualTo(each);
        });
  }
}
