package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.EtcdTestBed.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.TicketTransactions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Grants that etcd never takes: they are refused, and nobody waits behind them. */
@Tag("stack")
class LargeGrantsTest {
  private final AtomicInteger grants = new AtomicInteger();
  private final TransactionHook counting =
      new TransactionHook() {
        @Override
        public void before(String transaction) {
          if (transaction.equals("grant")) {
            grants.incrementAndGet();
          }
        }
      };
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void requestThatCouldNeverBeGrantedIsRefusedBeforeItEnters() {
    EtcdLocks locks = etcdTestBed.grantor();

    assertThatThrownBy(
            () -> locks.desk().submit(EtcdTestBed.ticket("large", Mode.WAIT, hosts(30_000)), LONG))
        .isInstanceOf(TicketTooLargeException.class)
        .hasMessageContaining("a lock on 30000 hosts cannot be granted")
        .hasMessageContaining("etcd takes 1.5 MB (--max-request-bytes)")
        .hasMessageContaining("Ask for fewer hosts");
    assertThatThrownBy(
            () ->
                locks.desk().answer(EtcdTestBed.ticket("try", Mode.TRY, hosts(30_000)), true, LONG))
        .isInstanceOf(TicketTooLargeException.class);

    assertThat(locks.holds().table().tickets()).isEmpty();
    locks.desk().submit(EtcdTestBed.ticket("fits", Mode.WAIT, hosts(1_500)), LONG);
    Await.until("what fits is granted", () -> locks.lockOn(hosts(1)[0]).isPresent());
  }

  @Test
  void ticketTooLargeToGrantIsTurnedAwayAndStopsNobody() {
    etcdTestBed
        .direct()
        .commit(
            TicketTransactions.take(
                hold("large", hosts(200)), etcdTestBed.direct().grantLease(LONG)));
    EtcdLocks locks = etcdTestBed.grantor(counting, Admission.exclusiveOnly());

    turnsAwayAndGrantsTheOther(locks, "large", "1.5 MB (--max-request-bytes)");
  }

  @Test
  void whatAloneIsTooLargeForThisEtcdIsTurnedAwayWithItsAnswer() {
    try (EtcdTestBed small = EtcdTestBed.onASmallEtcd()) {
      EtcdLocks locks = small.open(counting);
      locks.polled().submit(hold("large", hosts(60)));
      locks.desk().submit(EtcdTestBed.ticket("together", Mode.WAIT, "h2"), LONG);
      small.candidates.want("c1", hosts(59));
      small.candidates.want("c2", "h3");
      locks.startGrantor(Admission.exclusiveOnly(), small.candidates);

      turnsAwayAndGrantsTheOther(locks, "large", "request is too large");
      assertThat(locks.lockOn("h2")).as("of the same group").isPresent();
      Await.until(
          "the batch that fits is granted",
          () -> small.candidates.committed.containsValue(held(locks, "h3")));
      assertThat(small.candidates.reasons.get("c1")).contains("request is too large");
      assertThat(small.candidates.voided).hasSize(1);
    }
  }

  @Test
  void ticketThatEtcdRefusesIsRefusedToItsClientAndHarmsNoOther() {
    try (EtcdTestBed small = EtcdTestBed.onASmallEtcd()) {
      EtcdLocks locks = small.grantor();
      Ticket large =
          new Ticket(
              "large",
              Mode.TRY,
              List.of("h1"),
              List.of(),
              "team",
              "x".repeat(200_000),
              Instant.now().plusSeconds(60),
              60,
              60);
      assertThatThrownBy(() -> locks.desk().answer(large, true, LONG))
          .isInstanceOf(EtcdRefusedException.class)
          .hasMessageContaining("request is too large");

      assertThat(locks.desk().answer(EtcdTestBed.ticket("t1", Mode.TRY, "h1"), true, LONG))
          .isInstanceOf(RequestStatus.Held.class);
    }
  }

  @Test
  void placesTooLargeTogetherAreTakenInOrder() {
    try (EtcdTestBed small = EtcdTestBed.onASmallEtcd()) {
      EtcdLocks locks = small.grantor();
      locks.desk().submit(EtcdTestBed.ticket("first", Mode.WAIT, hosts(1)), LONG);
      Await.until("it is granted", () -> locks.lockOn(hosts(1)[0]).isPresent());
      List<String> ids = IntStream.range(0, 20).mapToObj("c%02d"::formatted).toList();
      ids.forEach(id -> small.candidates.want(id, hosts(150)));
      locks.poke();

      Await.until(
          "all have a place",
          () ->
              locks.holds().table().tickets().stream()
                  .map(ticket -> ticket.id())
                  .toList()
                  .equals(ids));
    }
  }

  @Test
  void batchTooLargeToGrantIsLeftOutWithTheReason() {
    EtcdLocks locks = etcdTestBed.grantor(counting, Admission.exclusiveOnly());
    etcdTestBed.candidates.want("c1", hosts(200));
    etcdTestBed.candidates.want("c2", "h1");
    locks.poke();

    Await.until("the other batch is granted", () -> locks.lockOn("h1").isPresent());
    Await.until("it is told", () -> etcdTestBed.candidates.reasons.containsKey("c1"));
    assertThat(etcdTestBed.candidates.reasons.get("c1")).contains("1.5 MB (--max-request-bytes)");
    assertThat(etcdTestBed.candidates.proposed).hasSize(1);
  }

  private void turnsAwayAndGrantsTheOther(EtcdLocks locks, String large, String why) {
    locks.desk().submit(EtcdTestBed.ticket("small", Mode.WAIT, "h1"), LONG);
    Await.until("the other is granted", () -> locks.lockOn("h1").isPresent());
    Await.until(
        "the large one is turned away",
        () -> locks.desk().find(large).orElseThrow() instanceof RequestStatus.Over);
    assertThat(((RequestStatus.Over) locks.desk().find(large).orElseThrow()).note().reason())
        .contains("etcd refuses its grant", why);
    assertThat(grants.get()).as("sent").isLessThan(10);
  }

  private static long held(EtcdLocks locks, String host) {
    return locks.lockOn(host).map(lock -> lock.token()).orElse(-1L);
  }

  /** Of a client that polls: a record per host, each with all hosts in it. */
  private static Ticket hold(String id, String... hosts) {
    return EtcdTestBed.ticket(id, Mode.FLEETLOCK, hosts)
        .asking(Optional.of(Instant.now().plusSeconds(60)));
  }

  private static String[] hosts(int count) {
    return IntStream.range(0, count)
        .mapToObj("node-%04d.rack-12.row-3.dc-1.production.example.com"::formatted)
        .toArray(String[]::new);
  }
}
