package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.TicketTransactions;
import dev.drydock.lock.etcd.testkit.TestEtcd;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Grants that etcd never takes: they are refused, and nobody waits behind them. */
@Tag("stack")
class LargeGrantsTest {
  private static final Duration LONG = Duration.ofSeconds(60);

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
  private Bench bench = new Bench();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void requestThatCouldNeverBeGrantedIsRefusedBeforeItEnters() {
    EtcdLocks locks = bench.grantor();

    assertThatThrownBy(
            () -> locks.desk().submit(Bench.ticket("large", Mode.WAIT, hosts(200)), LONG))
        .isInstanceOf(TicketTooLargeException.class)
        .hasMessageContaining("a lock on 200 hosts cannot be granted")
        .hasMessageContaining("etcd takes 1.5 MB (--max-request-bytes)")
        .hasMessageContaining("Ask for fewer hosts");
    try (LockClient client = locks.client(LONG)) {
      assertThatThrownBy(
              () ->
                  client.acquire(
                      new LockClient.Request(List.of(hosts(200)), "team", "firmware", LONG)))
          .isInstanceOf(TicketTooLargeException.class);
    }

    assertThat(locks.holds().table().tickets()).isEmpty();
    locks.desk().submit(Bench.ticket("fits", Mode.WAIT, hosts(120)), LONG);
    Await.until("what fits is granted", () -> locks.lockOn(hosts(1)[0]).isPresent());
  }

  @Test
  void ticketTooLargeToGrantIsTurnedAwayAndStopsNobody() {
    bench
        .direct()
        .commit(
            TicketTransactions.take(
                Bench.ticket("large", Mode.WAIT, hosts(200)), bench.direct().grantLease(LONG)));
    EtcdLocks locks = bench.grantor(counting, Admission.exclusiveOnly());

    turnsAwayAndGrantsTheOther(locks, "large", "1.5 MB (--max-request-bytes)");
  }

  @Test
  void whatAloneIsTooLargeForThisEtcdIsTurnedAwayWithItsAnswer() {
    try (TestEtcd small = TestEtcd.start("--max-txn-ops=4096", "--max-request-bytes=100000")) {
      bench.close();
      bench = new Bench(small.endpoint());
      EtcdLocks locks = bench.open(counting);
      locks.desk().submit(Bench.ticket("large", Mode.WAIT, hosts(60)), LONG);
      locks.desk().submit(Bench.ticket("together", Mode.WAIT, "h2"), LONG);
      bench.candidates.want("c1", hosts(59));
      bench.candidates.want("c2", "h3");
      locks.startGrantor(Admission.exclusiveOnly(), bench.candidates);

      turnsAwayAndGrantsTheOther(locks, "large", "request is too large");
      assertThat(locks.lockOn("h2")).as("of the same group").isPresent();
      Await.until(
          "the batch that fits is granted",
          () -> bench.candidates.committed.containsValue(held(locks, "h3")));
      assertThat(bench.candidates.reasons.get("c1")).contains("request is too large");
      assertThat(bench.candidates.voided).hasSize(1);
    } finally {
      bench.close();
      bench = new Bench();
    }
  }

  @Test
  void ticketThatEtcdRefusesIsRefusedToItsClientAndHarmsNoOther() throws Exception {
    try (TestEtcd small = TestEtcd.start("--max-txn-ops=4096", "--max-request-bytes=100000")) {
      bench.close();
      bench = new Bench(small.endpoint());
      try (LockClient client = bench.grantor().client(LONG)) {
        assertThatThrownBy(
                () ->
                    client.acquire(
                        new LockClient.Request(List.of("h1"), "team", "x".repeat(200_000), LONG)))
            .isInstanceOf(EtcdRefusedException.class)
            .hasMessageContaining("request is too large");

        assertThat(
                client
                    .acquire(new LockClient.Request(List.of("h1"), "team", "firmware", LONG))
                    .valid())
            .isTrue();
      }
    } finally {
      bench.close();
      bench = new Bench();
    }
  }

  @Test
  void placesTooLargeTogetherAreTakenInOrder() {
    try (TestEtcd small = TestEtcd.start("--max-txn-ops=4096", "--max-request-bytes=100000")) {
      bench.close();
      bench = new Bench(small.endpoint());
      EtcdLocks locks = bench.grantor();
      locks.desk().submit(Bench.ticket("first", Mode.WAIT, hosts(1)), LONG);
      Await.until("it is granted", () -> locks.lockOn(hosts(1)[0]).isPresent());
      List<String> ids = IntStream.range(0, 20).mapToObj("c%02d"::formatted).toList();
      ids.forEach(id -> bench.candidates.want(id, hosts(150)));
      locks.poke();

      Await.until(
          "all have a place",
          () ->
              locks.holds().table().tickets().stream()
                  .map(ticket -> ticket.id())
                  .toList()
                  .equals(ids));
    } finally {
      bench.close();
      bench = new Bench();
    }
  }

  @Test
  void batchTooLargeToGrantIsLeftOutWithTheReason() {
    EtcdLocks locks = bench.grantor(counting, Admission.exclusiveOnly());
    bench.candidates.want("c1", hosts(200));
    bench.candidates.want("c2", "h1");
    locks.poke();

    Await.until("the other batch is granted", () -> locks.lockOn("h1").isPresent());
    Await.until("it is told", () -> bench.candidates.reasons.containsKey("c1"));
    assertThat(bench.candidates.reasons.get("c1")).contains("1.5 MB (--max-request-bytes)");
    assertThat(bench.candidates.proposed).hasSize(1);
  }

  private void turnsAwayAndGrantsTheOther(EtcdLocks locks, String large, String why) {
    locks.desk().submit(Bench.ticket("small", Mode.WAIT, "h1"), LONG);
    Await.until("the other is granted", () -> locks.lockOn("h1").isPresent());
    Await.until(
        "the large one is turned away",
        () -> locks.desk().find(large).orElseThrow() instanceof Standing.Over);
    assertThat(((Standing.Over) locks.desk().find(large).orElseThrow()).note().reason())
        .contains("etcd refuses its grant", why);
    assertThat(grants.get()).as("sent").isLessThan(10);
  }

  private static long held(EtcdLocks locks, String host) {
    return locks.lockOn(host).map(lock -> lock.token()).orElse(-1L);
  }

  private static String[] hosts(int count) {
    return IntStream.range(0, count)
        .mapToObj("node-%04d.rack-12.row-3.dc-1.production.example.com"::formatted)
        .toArray(String[]::new);
  }
}
