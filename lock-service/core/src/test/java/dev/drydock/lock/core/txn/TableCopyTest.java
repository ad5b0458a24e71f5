package dev.drydock.lock.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Backfill;
import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.HostQueue;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Prop;
import dev.drydock.lock.core.Samples;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What was copied is the table of then, and says where a ticket stood. */
class TableCopyTest {
  private static final int RUNS = 200;

  @Test
  void isTheTableOfThenAlthoughTheReplicaGoesOn() {
    Prop.check(
        "copy",
        RUNS,
        random -> {
          Store store = filled(random);
          Replica replica = Replica.of(store.revision, store.all());
          LockTable then = StoreSnapshot.of(store.revision, store.all()).table();
          TableCopy copy = TableCopy.of(replica);

          empty(replica, store);

          assertThat(copy.table()).isEqualTo(then);
        });
  }

  @Test
  void placeRestsOnWhatIsBeforeATicketAndStaysThatOfThen() {
    Prop.check(
        "before",
        RUNS,
        random -> {
          Store store = filled(random);
          Replica replica = Replica.of(store.revision, store.all());
          LockTable then = StoreSnapshot.of(store.revision, store.all()).table();
          Map<Ticket, Supplier<HostQueue.Place>> places = new HashMap<>();
          then.tickets()
              .forEach(
                  ticket -> places.put(ticket, TableCopy.place(replica, ticket, Backfill.DEFAULT)));

          empty(replica, store);

          places.forEach(
              (ticket, place) ->
                  assertThat(place.get())
                      .isEqualTo(HostQueue.place(then, ticket, Backfill.DEFAULT)));
        });
  }

  private static void empty(Replica replica, Store store) {
    List<KeyChange> gone = new ArrayList<>();
    store.all().forEach(stored -> gone.add(KeyChange.deleted(stored.key())));
    replica.apply(store.revision + 1, gone);
    assertThat(replica.waiters().all()).isEmpty();
  }

  /** Some hosts taken, by the living and by others, and tickets for one host and for several. */
  private static Store filled(Random random) {
    Store store = new Store(changes -> {});
    for (String host : hosts(random, 3)) {
      store.revision(
          () -> {
            Ticket was =
                Samples.ticket("s-" + host, Mode.WAIT, 1, List.of(host))
                    .lasting(random.nextInt(3) * 60);
            var lock = Grants.foreign(was, Instant.EPOCH).getFirst();
            boolean broken = random.nextInt(4) == 0;
            if (broken) {
              store.put(new Key.Lock(host), lock.quarantined("broken"));
            } else {
              store.lock(List.of(lock));
            }
            if (random.nextBoolean()) {
              store.put(new Key.Alive(lock.id()), new LivenessRecord(false, 15));
            }
            boolean lapsed = random.nextBoolean();
            store.put(
                new Key.Ended(host),
                new EndedLock(host, lapsed ? lock.id() : "s-0", 0, 7, "x", "y"));
          });
    }
    for (int i = 0; i < 12; i++) {
      String id = "t" + random.nextInt(100) + "-" + i;
      store.revision(
          () -> {
            List<String> wanted = hosts(random, 3);
            Ticket ticket =
                Samples.ticket(
                    id, Mode.WAIT, store.revision, wanted.isEmpty() ? List.of("h1") : wanted);
            store.put(new Key.Ticket(id, 0), ticket);
            if (random.nextInt(3) == 0) {
              store.put(
                  new Key.Passed(id), new BackfillClock(Duration.ZERO, Optional.of(Instant.EPOCH)));
            }
          });
    }
    return store;
  }

  private static List<String> hosts(Random random, int oneIn) {
    return IntStream.range(0, 5)
        .filter(host -> random.nextInt(oneIn) == 0)
        .mapToObj(host -> "h" + host)
        .toList();
  }
}
