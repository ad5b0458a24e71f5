package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.EtcdTestBed.LONG;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.TicketNote;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.LivenessRecord;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A try is answered when it is decided, by the watch alone. */
@Tag("stack")
class TriesTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final AtomicInteger asked = new AtomicInteger();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void grantsFreeHostsOnOneLeaseOfTheLockItself() {
    EtcdLocks locks = etcdTestBed.grantor();

    RequestStatus requestStatus = tries(locks, "t1", "h1", "h2");

    assertThat(requestStatus).isInstanceOf(RequestStatus.Held.class);
    assertThat(requestStatus.hosts()).containsExactly("h1", "h2");
    KeyValue alive = etcdTestBed.direct().get(new Key.Alive("t1")).orElseThrow();
    assertThat(ValueCodec.stored(new Key.Alive("t1"), alive).value())
        .isEqualTo(new LivenessRecord(false, 60));
    assertThat(etcdTestBed.direct().grantedSeconds(alive.getLease())).isEqualTo(60);
  }

  @Test
  void refusesHostsOfOthersAndNamesTheHolder() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, "t1", "h1");

    assertThat(tries(locks, "t2", "h1"))
        .isInstanceOfSatisfying(
            RequestStatus.Over.class,
            over -> {
              assertThat(over.note().state()).isEqualTo(TicketNote.State.REFUSED);
              assertThat(over.note().reason()).contains("kernel-team");
            });
  }

  @Test
  void anotherProcessThanTheGrantorsIsAnsweredAsWell() {
    etcdTestBed.grantor();

    assertThat(tries(etcdTestBed.open(), "t1", "h1")).isInstanceOf(RequestStatus.Held.class);
  }

  /** The control of all others: nobody else decides. */
  @Test
  void withoutAGrantorWaitsForAsLongAsItIsToldAndKeepsItsLease() {
    EtcdLocks locks = etcdTestBed.open();
    Ticket ticket = EtcdTestBed.ticket("t1", Mode.TRY, 2, "h1");

    RequestStatus requestStatus = locks.desk().answer(ticket, true, Duration.ofSeconds(5));

    assertThat(requestStatus).isInstanceOf(RequestStatus.Waiting.class);
    assertThat(etcdTestBed.direct().get(new Key.Alive("t1"))).as("its client waited").isPresent();
  }

  @Test
  void asksEtcdNothingWhileItWaits() throws Exception {
    Interference interference = new Interference().pausingAt("grant");
    etcdTestBed.grantor(interference, Admission.exclusiveOnly());
    EtcdLocks locks = etcdTestBed.open(counting("read revision"));
    CompletableFuture<RequestStatus> answer =
        CompletableFuture.supplyAsync(() -> tries(locks, "t1", "h1"));
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    asked.set(0);
    EtcdLocks another = etcdTestBed.open();
    CompletableFuture<RequestStatus> next =
        CompletableFuture.supplyAsync(() -> tries(another, "t2", "h2"), Thread::startVirtualThread);
    Await.until(
        "its mirror hears of another ticket",
        () -> locks.mirror().ask(replica -> replica.ticket("t2").isPresent()));

    assertThat(answer).isNotDone();
    assertThat(asked).hasValue(0);
    interference.resume.countDown();
    assertThat(next.get(20, TimeUnit.SECONDS)).isInstanceOf(RequestStatus.Held.class);
    assertThat(answer.get(20, TimeUnit.SECONDS)).isInstanceOf(RequestStatus.Held.class);
  }

  /** What it missed meanwhile it looks for itself. */
  @Test
  void isAnsweredAlthoughItsWatchWasAwayWhenItWasDecided() throws Exception {
    Interference interference = new Interference().pausingAt("grant");
    EtcdLocks grantor = etcdTestBed.grantor(interference, Admission.exclusiveOnly());
    EtcdLocks locks = etcdTestBed.open();
    CompletableFuture<RequestStatus> answer =
        CompletableFuture.supplyAsync(() -> tries(locks, "t1", "h1"));
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    locks.mirror().cutOff();
    interference.resume.countDown();
    Await.until("it is granted", () -> grantor.lockOn("h1").isPresent());
    locks.mirror().forget();
    locks.mirror().reconnect();

    assertThat(answer.get(20, TimeUnit.SECONDS)).isInstanceOf(RequestStatus.Held.class);
  }

  @Test
  void answerOfTicketLost_isOneTicketAndAnswered() {
    etcdTestBed.grantor();
    Interference interference = new Interference().losingAnswerOf("take ticket");

    assertThat(tries(etcdTestBed.open(interference), "t1", "h1"))
        .isInstanceOf(RequestStatus.Held.class);
    assertThat(interference.spent()).isTrue();
  }

  @Test
  void sameIdAgainIsAnsweredAsItStands() {
    EtcdLocks locks = etcdTestBed.grantor();
    Ticket ticket = EtcdTestBed.ticket("t1", Mode.TRY, "h1");
    locks.desk().answer(ticket, false, LONG);

    assertThat(locks.desk().answer(ticket, false, LONG)).isInstanceOf(RequestStatus.Held.class);
    locks.desk().leave("t1", "kernel-team", "done");
    assertThat(locks.desk().answer(ticket, false, LONG)).isInstanceOf(RequestStatus.Over.class);
  }

  /** With a maximum a term begins with the grant, and the lease with it. */
  @Test
  void withAMaximumItsTermHasBegunWhenItIsAnswered() {
    EtcdLocks locks = etcdTestBed.grantor();
    Ticket ticket = EtcdTestBed.ticket("t1", Mode.TRY, "h1").lasting(600);

    assertThat(locks.desk().answer(ticket, true, LONG)).isInstanceOf(RequestStatus.Held.class);
    assertThat(etcdTestBed.direct().get(new Key.Term("t1"))).isPresent();
  }

  @Test
  void manyHaveEachHostOneByOneWithRisingTokens() throws Exception {
    EtcdLocks locks = etcdTestBed.grantor();
    AtomicInteger inside = new AtomicInteger();
    List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
    List<Callable<Void>> clients = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String client = "c" + i;
      clients.add(() -> takeTurns(locks, client, inside, tokens));
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Void> done : threads.invokeAll(clients)) {
        done.get();
      }
    }

    assertThat(tokens).hasSize(24).isSorted().doesNotHaveDuplicates();
    assertThat(locks.holds().table().locks()).isEmpty();
    assertThat(locks.holds().table().ended()).containsOnlyKeys("h1", "h2");
  }

  private Void takeTurns(EtcdLocks locks, String client, AtomicInteger inside, List<Long> tokens) {
    int turns = 0;
    for (int attempt = 0; turns < 3; attempt++) {
      String id = client + "-" + attempt;
      if (tries(locks, id, "h1", "h2") instanceof RequestStatus.Held held) {
        turns++;
        assertThat(inside.incrementAndGet()).isEqualTo(1);
        tokens.add(held.locks().getFirst().token());
        inside.decrementAndGet();
        locks.desk().leave(held, client, "done");
      }
    }
    return null;
  }

  @Test
  void lockOnManyHostsIsOneRecordAndWhatItLeavesGoesWithTheNext() {
    EtcdLocks locks = etcdTestBed.grantor();
    for (int turn = 0; turn < 5; turn++) {
      RequestStatus held = tries(locks, "t" + turn, "h1", "h2", "h3");
      assertThat(locks.holds().table().locks()).hasSize(3);
      assertThat(records("t" + turn)).hasSize(1);
      locks.desk().leave(held, "kernel-team", "done");
    }
    locks.desk().leave(tries(locks, "last", "h3", "h4"), "kernel-team", "done");

    assertThat(records("")).as("of the last on h1, and of the last on h3").hasSize(2);
    assertThat(locks.holds().table().ended()).containsOnlyKeys("h1", "h2", "h3", "h4");
    assertThat(etcdTestBed.everything())
        .extracting(found -> found.getKey().toString())
        .noneMatch(key -> key.contains("/locks/") || key.contains("/ended/"));
  }

  /** What is known here is behind what happened: the lock was broken meanwhile. */
  @Test
  void leavesByWhatItSawLastAndLooksAgainWhereThatChanged() {
    EtcdLocks grantor = etcdTestBed.grantor();
    EtcdLocks locks = etcdTestBed.open();
    RequestStatus seen = tries(locks, "t1", "h1", "h2");
    grantor.holds().quarantine("t1", "h1", "broken by an administrator");

    locks.desk().leave(seen, "kernel-team", "done");

    assertThat(grantor.holds().table().locks()).containsOnlyKeys("h1");
  }

  /** What etcd has of session locks whose id begins so. */
  private List<KeyValue> records(String id) {
    String start =
        new String(etcdTestBed.direct().keys().of(new Key.Session(id)).getBytes(), UTF_8);
    return etcdTestBed.everything().stream()
        .filter(found -> found.getKey().toString().startsWith(start))
        .toList();
  }

  private static RequestStatus tries(EtcdLocks locks, String id, String... hosts) {
    return locks.desk().answer(EtcdTestBed.ticket(id, Mode.TRY, hosts), true, LONG);
  }

  private TransactionHook counting(String name) {
    return new TransactionHook() {
      @Override
      public void before(String transaction) {
        if (transaction.equals(name)) {
          asked.incrementAndGet();
        }
      }
    };
  }
}
