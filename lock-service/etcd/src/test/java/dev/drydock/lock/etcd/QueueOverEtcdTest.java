package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.TicketNote;
import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.txn.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
class QueueOverEtcdTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void servesTwentyWaitersInTheOrderTheyEntered() throws Exception {
    EtcdLocks locks = etcdTestBed.open();
    List<Callable<RequestStatus>> submissions = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      // Ids fall while submission goes on, so that an order by id would show.
      Ticket ticket = EtcdTestBed.ticket("t" + (99 - i), Mode.WAIT, "h1");
      submissions.add(() -> locks.desk().submit(ticket, Duration.ofSeconds(60)));
    }
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var submitted : clients.invokeAll(submissions)) {
        assertThat(submitted.get()).isInstanceOf(RequestStatus.Waiting.class);
      }
    }
    List<String> order = locks.holds().table().tickets().stream().map(Ticket::id).toList();
    assertThat(order).hasSize(20);

    locks.startGrantor(Admission.exclusiveOnly(), etcdTestBed.candidates);
    List<String> served = new ArrayList<>();
    long token = 0;
    while (served.size() < 20) {
      Await.until("the next waiter is granted", () -> locks.lockOn("h1").isPresent());
      LockRecord lock = locks.lockOn("h1").orElseThrow();
      assertThat(lock.token()).as("tokens rise").isGreaterThan(token);
      token = lock.token();
      served.add(lock.id());
      locks.desk().leave(lock.id(), "kernel-team", "done");
    }

    assertThat(served).isEqualTo(order);
  }

  @Test
  void refusesForeignTryWithHolderOrBudget() {
    EtcdLocks locks = etcdTestBed.grantor(TransactionHook.NONE, EtcdTestBed.atMost(1));
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    Await.until("the batch is granted", () -> etcdTestBed.candidates.committed.containsKey("g1"));

    assertThat(refusal(locks, "t1", "h1"))
        .contains("h1 is held by web-team", "batch lock g1 of rollout r1", "release 2");
    assertThat(refusal(locks, "t2", "h2")).contains("web: 2 hosts would be down, 1 may");
  }

  private String refusal(EtcdLocks locks, String id, String host) {
    locks.desk().submit(EtcdTestBed.ticket(id, Mode.TRY, host), Duration.ofSeconds(15));
    Await.until(
        id + " is refused",
        () -> locks.desk().find(id).orElseThrow() instanceof RequestStatus.Over);
    RequestStatus.Over over = (RequestStatus.Over) locks.desk().find(id).orElseThrow();
    assertThat(over.note().state()).isEqualTo(TicketNote.State.REFUSED);
    assertThat(over.holder()).isEqualTo("kernel-team");
    return over.note().reason();
  }

  @Test
  void lapsedLockNoLongerExcludesButStaysUntilItsHostIsSeenHealthy() {
    AtomicLong healthy = new AtomicLong();
    EtcdLocks locks = etcdTestBed.grantor(TransactionHook.NONE, seen(healthy));
    locks.desk().submit(EtcdTestBed.ticket("t1", Mode.WAIT, 2, "h1", "h2"), Duration.ofSeconds(2));
    Await.until("granted", () -> locks.lockOn("h1").isPresent());

    Await.until(
        "its client counts as dead and the lapse is noted",
        () -> held(locks, "t1").filter(RequestStatus.Held::lapsed).isPresent());
    assertThat(locks.lockOn("h1").orElseThrow().id()).isEqualTo("t1");
    assertThat(locks.desk().renew("t1").orElseThrow())
        .as("a lapsed lock cannot be renewed")
        .isInstanceOfSatisfying(
            RequestStatus.Held.class, held -> assertThat(held.lapsed()).isTrue());

    locks.desk().submit(EtcdTestBed.ticket("t2", Mode.TRY, "h1"), Duration.ofSeconds(15));
    Await.until("somebody else gets the host", () -> EtcdTestBed.has(locks, "t2", "h1"));
    long noted = ended(locks, "h2").mark();

    healthy.set(noted);
    locks.poke();
    Await.until("the lapsed record goes", () -> locks.lockOn("h2").isEmpty());
    assertThat(ended(locks, "h2").mark()).isEqualTo(noted);
  }

  /** As etcd does for a leader that stood still: the client may have renewed it a moment before. */
  @Test
  void lockWhoseKeyIsGoneExcludesForOneLeaseMoreAndItsClientIsTold() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, EtcdTestBed.ticket("t1", Mode.WAIT, 6, "h1"));
    locks.desk().renew("t1");
    locks.desk().submit(EtcdTestBed.ticket("t2", Mode.WAIT, "h1"), Duration.ofSeconds(60));
    long renewed = System.nanoTime();

    etcdTestBed
        .direct()
        .revoke(etcdTestBed.direct().get(new Key.Alive("t1")).orElseThrow().getLease());

    Await.until(
        "its client is told to stop",
        () -> held(locks, "t1").filter(RequestStatus.Held::expired).isPresent());
    RequestStatus.Held held = held(locks, "t1").orElseThrow();
    assertThat(held.lapsed()).as("somebody may believe in it").isFalse();
    assertThat(held.until()).isPresent();
    assertThat(locks.desk().renew("t1").orElseThrow())
        .isInstanceOfSatisfying(
            RequestStatus.Held.class, one -> assertThat(one.expired()).isTrue());
    assertThat(((RequestStatus.Waiting) locks.desk().find("t2").orElseThrow()).reason())
        .contains("h1 is held by", "whose client is gone", "6 s");
    Await.until("the next one is granted", () -> EtcdTestBed.has(locks, "t2", "h1"));
    assertThat(Duration.ofNanos(System.nanoTime() - renewed))
        .as("two believe to have h1")
        .isGreaterThanOrEqualTo(Duration.ofSeconds(6));
  }

  @Test
  void nobodyWaitsForWhoeverEndedItsLockItself() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, EtcdTestBed.ticket("t1", Mode.WAIT, 3600, "h1"));
    locks.desk().submit(EtcdTestBed.ticket("t2", Mode.WAIT, "h1"), Duration.ofSeconds(60));
    etcdTestBed
        .direct()
        .revoke(etcdTestBed.direct().get(new Key.Alive("t1")).orElseThrow().getLease());
    Await.until(
        "its lease is over",
        () -> held(locks, "t1").filter(RequestStatus.Held::expired).isPresent());

    locks.desk().leave("t1", "kernel-team", "stopped");

    Await.until("the next one is granted", () -> EtcdTestBed.has(locks, "t2", "h1"));
  }

  private static EndedLock ended(EtcdLocks locks, String host) {
    return Objects.requireNonNull(locks.holds().table().ended().get(host));
  }

  private static Admission seen(AtomicLong healthy) {
    return table ->
        new Admission.Round() {
          @Override
          public Verdict judge(
              Collection<String> hosts,
              Collection<String> applications,
              Collection<LockRecord> held) {
            return new Verdict(Verdict.Decision.GRANT, "fits", List.of());
          }

          @Override
          public boolean healthySince(String host, long mark) {
            return healthy.get() >= mark;
          }
        };
  }

  @Test
  void renewalMovesTheLockToItsOwnLeaseAndKeepsIt() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, EtcdTestBed.ticket("t1", Mode.WAIT, 2, "h1"));

    locks.desk().renew("t1");

    long lease = etcdTestBed.direct().get(new Key.Alive("t1")).orElseThrow().getLease();
    assertThat(etcdTestBed.direct().grantedSeconds(lease)).isEqualTo(2);
    locks.desk().renew("t1");
    assertThat(etcdTestBed.direct().get(new Key.Alive("t1")).orElseThrow().getLease())
        .isEqualTo(lease);
  }

  @Test
  void lockOfClientThatDiedInTheQueueLapsesByItsOwnLease() {
    EtcdLocks locks = etcdTestBed.grantor(TransactionHook.NONE, seen(new AtomicLong()));
    locks.desk().submit(EtcdTestBed.ticket("t1", Mode.WAIT, "h1", "h2"), Duration.ofSeconds(600));
    locks.desk().submit(EtcdTestBed.ticket("gone", Mode.WAIT, 2, "h1"), Duration.ofSeconds(600));
    locks.desk().submit(EtcdTestBed.ticket("well", Mode.WAIT, 2, "h2"), Duration.ofSeconds(600));
    Await.until("granted", () -> locks.lockOn("h1").isPresent());

    locks.desk().leave("t1", "kernel-team", "done");

    Await.until(
        "the lock nobody renews lapses, while the other one's client is there",
        () -> {
          locks.desk().renew("well");
          return held(locks, "gone").filter(RequestStatus.Held::lapsed).isPresent();
        });
    assertThat(held(locks, "well").orElseThrow().lapsed()).as("renewed").isFalse();
  }

  private static Optional<RequestStatus.Held> held(EtcdLocks locks, String id) {
    return locks
        .desk()
        .find(id)
        .filter(RequestStatus.Held.class::isInstance)
        .map(RequestStatus.Held.class::cast);
  }

  @Test
  void nextGrantorCountsTheLeaseThatADeadOneNeverCounted() throws Exception {
    Interference interference = new Interference().pausingAt("count lease");
    EtcdLocks first = etcdTestBed.open(interference);
    Admission neverHealthy = seen(new AtomicLong());
    GrantorLoop loop = first.startGrantor(neverHealthy, etcdTestBed.candidates, true);
    first.desk().submit(EtcdTestBed.ticket("t1", Mode.WAIT, 2, "h1"), Duration.ofSeconds(600));
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    loop.close();

    EtcdLocks second = etcdTestBed.grantor(TransactionHook.NONE, neverHealthy);

    Await.until(
        "it lapses", () -> held(second, "t1").filter(RequestStatus.Held::lapsed).isPresent());
    interference.resume.countDown();
  }

  @Test
  void sameIdAgainIsTheSameTicketAlsoAfterItsEnd() {
    EtcdLocks locks = etcdTestBed.grantor();
    Ticket ticket = EtcdTestBed.ticket("t1", Mode.WAIT, "h1");
    EtcdTestBed.take(locks, ticket);
    long token = locks.lockOn("h1").orElseThrow().token();

    assertThat(locks.desk().submit(ticket, Duration.ofSeconds(60)))
        .isInstanceOfSatisfying(
            RequestStatus.Held.class,
            held -> assertThat(held.locks().getFirst().token()).isEqualTo(token));
    locks.desk().leave("t1", "kernel-team", "done");
    assertThat(locks.desk().submit(ticket, Duration.ofSeconds(60)))
        .isInstanceOf(RequestStatus.Over.class);
    assertThat(locks.lockOn("h1")).isEmpty();
    assertThat(ended(locks, "h1").by()).isEqualTo("kernel-team");
  }

  @Test
  void errorInAPassEndsNoGrantor() {
    AtomicLong passes = new AtomicLong();
    EtcdLocks locks =
        etcdTestBed.grantor(
            TransactionHook.NONE,
            table -> {
              if (passes.incrementAndGet() < 3) {
                throw new StackOverflowError("planted by the test");
              }
              return Admission.exclusiveOnly().begin(table);
            });
    EtcdTestBed.take(locks, "t1", "h1");
    assertThat(passes.get()).isGreaterThanOrEqualTo(3);
  }

  @Test
  void deadWaiterLeavesTheQueue() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, "t1", "h1");
    locks.desk().submit(EtcdTestBed.ticket("dies", Mode.WAIT, "h1"), Duration.ofSeconds(2));
    locks.desk().submit(EtcdTestBed.ticket("t3", Mode.WAIT, "h1"), Duration.ofSeconds(60));

    Await.until(
        "the dead one is turned away",
        () ->
            locks.holds().table().tickets().stream()
                .map(Ticket::id)
                .toList()
                .equals(List.of("t3")));
    locks.desk().leave("t1", "kernel-team", "done");
    Await.until("the next one is granted", () -> EtcdTestBed.has(locks, "t3", "h1"));
  }
}
