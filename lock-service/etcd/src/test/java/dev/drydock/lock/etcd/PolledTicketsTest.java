package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.TicketTransactions;
import dev.drydock.lock.core.txn.TicketTransactions.Basis;
import dev.drydock.lock.core.txn.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
class PolledTicketsTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void anyNumberOfFirstCallsMakeOneTicket() throws Exception {
    EtcdLocks locks = etcdTestBed.open();
    EtcdLocks other = etcdTestBed.open();
    Set<String> ids = new HashSet<>();
    Callable<String> here = () -> enter(locks);
    Callable<String> there = () -> enter(other);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Callable<String> call : Set.of(here, there)) {
        for (var id : threads.invokeAll(Collections.nCopies(10, call))) {
          ids.add(id.get());
        }
      }
    }
    assertThat(ids).hasSize(1);
    assertThat(locks.holds().table().tickets()).hasSize(1);
  }

  @Test
  void repeatedAfterALostAnswerItIsTheSameTicket() {
    Interference interference = new Interference().losingAnswerOf("take ticket");
    EtcdLocks locks = etcdTestBed.open(interference);

    String id = enter(locks);

    assertThat(interference.spent()).isTrue();
    assertThat(enter(locks)).isEqualTo(id);
    assertThat(locks.holds().table().tickets()).hasSize(1);
  }

  @Test
  void entersAlthoughItsHostIsReleasedMeanwhile() throws Exception {
    EtcdLocks locks = etcdTestBed.grantor();
    Interference interference = new Interference();
    EtcdLocks asks = etcdTestBed.open(interference);
    EtcdTestBed.take(locks, "t1", "h1");

    interference.pausingAt("take ticket");
    CompletableFuture<Void> entering =
        CompletableFuture.runAsync(() -> asks.polled().submit(EtcdTestBed.polled("m-1", 60, "h1")));
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    locks.desk().leave("t1", "kernel-team", "done");
    interference.resume.countDown();
    entering.get(20, TimeUnit.SECONDS);

    assertThat(asks.desk().find("m-1")).isPresent();
  }

  @Test
  void isAskedForItsTicketOnceHoweverOftenOthersWereFaster() throws Exception {
    EtcdLocks locks = etcdTestBed.grantor();
    Interference interference = new Interference().pausingAt("take ticket");
    EtcdLocks asks = etcdTestBed.open(interference);
    List<String> made = new CopyOnWriteArrayList<>();

    CompletableFuture<String> entering =
        CompletableFuture.supplyAsync(
            () ->
                asks.polled()
                    .enter(
                        "h1",
                        "fl-",
                        id -> {
                          made.add(id);
                          return ticket(id);
                        }));
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    locks.polled().submit(EtcdTestBed.polled("m-1", 60, "h1").asking(Optional.of(later())));
    Await.until("somebody has its host", () -> EtcdTestBed.has(locks, "m-1", "h1"));
    interference.resume.countDown();

    assertThat(made).containsExactly(entering.get(20, TimeUnit.SECONDS));
  }

  @Test
  void whoFindsATicketOfAnotherCallGivesItsLeaseBack() throws Exception {
    try (EtcdTestBed own = EtcdTestBed.onASmallEtcd()) {
      Interference interference = new Interference().pausingAt("take ticket");
      EtcdLocks slower = own.open(interference);
      EtcdLocks faster = own.open();
      int before = own.leases();

      CompletableFuture<String> entering = CompletableFuture.supplyAsync(() -> enter(slower));
      assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
      String id = enter(faster);
      interference.resume.countDown();

      assertThat(entering.get(20, TimeUnit.SECONDS)).isEqualTo(id);
      assertThat(own.leases()).as("of the ticket only").isEqualTo(before + 1);
    }
  }

  @Test
  void theEndOfAPollLeavesALaterOneOpen() {
    EtcdLocks locks = etcdTestBed.open();
    String id = enter(locks);
    Instant first = later();
    Instant second = first.plusSeconds(2);
    locks.polled().ask(id, later(), first);
    locks.polled().ask(id, later(), second);

    locks.polled().close(id, later(), first);
    assertThat(asksUntil(locks)).contains(second);
    locks.polled().close(id, later(), second);
    assertThat(asksUntil(locks)).isEmpty();
  }

  private static Optional<Instant> asksUntil(EtcdLocks locks) {
    return locks.holds().table().tickets().getFirst().askingUntil();
  }

  @Test
  void eachHoldIsOfATicketOfItsOwnAndOfThatOnly() {
    EtcdLocks locks = etcdTestBed.grantor();
    String first = enter(locks);
    locks.polled().ask(first, later(), later());
    Await.until("granted", () -> locks.lockOn("h1").isPresent());
    assertThat(enter(locks)).as("held").isEqualTo(first);

    Transaction late =
        TicketTransactions.takePolled(
            ticket(first),
            new Basis(0, 0, 0),
            etcdTestBed.direct().grantLease(Duration.ofMinutes(6)));
    assertThat(etcdTestBed.direct().commit(late).isSucceeded()).as("comes late").isFalse();

    locks.desk().leave(first, "hosts", "steady state");
    String second = enter(locks);
    assertThat(second).isNotEqualTo(first);
    assertThat(etcdTestBed.direct().commit(late).isSucceeded()).as("comes later").isFalse();
    assertThat(locks.holds().table().tickets()).extracting(Ticket::id).containsExactly(second);
  }

  /** Its place lives on by its lease, and its client asks the next server. */
  @Test
  void grantDoesNotGoToAPollWhoseServerDied() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, "t1", "h1");
    String id = locks.polled().enter("h1", "fl-", one -> EtcdTestBed.polled(one, 60, "h1"));
    Instant longAgo = Instant.now().minus(Ticket.CLOCKS_APART_MAX).minusSeconds(1);
    locks.polled().ask(id, later(), longAgo);

    locks.desk().leave("t1", "kernel-team", "done");
    Await.until(
        "the grantor decided about it",
        () ->
            locks.lockOn("h1").isPresent()
                || locks.desk().find(id).orElseThrow() instanceof RequestStatus.Waiting waiting
                    && waiting.reason().contains("when its client asks again"));
    assertThat(locks.lockOn("h1")).as("to nobody").isEmpty();

    locks.polled().ask(id, later(), Instant.now().plusSeconds(9));
    Await.until("granted to who asks", () -> locks.lockOn("h1").isPresent());
  }

  @Test
  void whoDoesNotPollAnyMoreLosesItsPlaceByItsLease() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, "t1", "h1");
    String id = locks.polled().enter("h1", "fl-", one -> EtcdTestBed.polled(one, 2, "h1"));
    long start = System.nanoTime();
    Await.until(
        "it polls for longer than its lease",
        () -> {
          assertThat(locks.polled().ask(id, later(), later())).isTrue();
          return System.nanoTime() - start > Duration.ofSeconds(4).toNanos();
        });

    Await.until("it lost its place", () -> locks.holds().table().tickets().isEmpty());
    assertThat(locks.polled().ask(id, later(), later())).isFalse();
  }

  private static String enter(EtcdLocks locks) {
    return locks.polled().enter("h1", "fl-", PolledTicketsTest::ticket);
  }

  private static Ticket ticket(String id) {
    return EtcdTestBed.ticket(id, Mode.FLEETLOCK, "h1").withDeadline(later());
  }

  private static Instant later() {
    return Instant.now().plus(Duration.ofMinutes(6));
  }
}
