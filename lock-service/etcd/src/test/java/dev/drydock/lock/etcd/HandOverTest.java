package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.Programs.LONG;
import static dev.drydock.lock.etcd.Programs.acquiring;
import static dev.drydock.lock.etcd.Programs.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionLock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks whose hosts go on to whoever waits, by the grantor in their own process. */
@Tag("stack")
class HandOverTest {
  private static final int TURNS = 20;

  /** Enough for one at least to meet a grantor that is quick, however busy the machine. */
  private static final int MANY_TURNS = 300;

  private final Bench bench = new Bench();
  private final Interference interference = new Interference();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void endsTheLockInTheTransactionThatGrantsTheNext() throws Exception {
    try (LockClient client = bench.grantor().client(LONG)) {
      assertThat(atOnce(client, MANY_TURNS)).isPositive();
    }
  }

  /** The control: whoever is in another process ends its lock itself. */
  @Test
  void elsewhereItTakesTwo() throws Exception {
    bench.grantor();
    try (LockClient client = bench.open().client(LONG)) {
      assertThat(atOnce(client, TURNS)).isZero();
    }
  }

  /** How often a host went on in one transaction, up to the first few times. */
  private int atOnce(LockClient client, int turns) throws Exception {
    int atOnce = 0;
    HeldLock lock = client.acquire(request("h1", "h2"));
    for (int turn = 0; turn < turns && atOnce < 5; turn++) {
      CompletableFuture<HeldLock> waiting = behind(client);
      lock.release("done");
      HeldLock next = waiting.get(20, TimeUnit.SECONDS);
      assertThat(next.token()).isGreaterThan(lock.token());
      assertThat(next.valid()).isTrue();
      assertThat(lock.valid()).isFalse();
      atOnce += endedAt(lock) == next.token() ? 1 : 0;
      lock = next;
    }
    lock.release("done");
    return atOnce;
  }

  @Test
  void goesOnToOneOnlyWhenTheAnswerIsLost() throws Exception {
    interference.losingAnswerOf("hand over");
    goesOnToOneOnly();
  }

  @Test
  void goesOnToOneOnlyWhenTheRequestIsLost() throws Exception {
    interference.losingRequestOf("hand over");
    goesOnToOneOnly();
  }

  private void goesOnToOneOnly() throws Exception {
    EtcdLocks locks = bench.grantor(interference, Admission.exclusiveOnly());
    try (LockClient client = locks.client(LONG)) {
      HeldLock lock = client.acquire(request("h1", "h2"));
      for (int turn = 0; turn < MANY_TURNS && !interference.spent(); turn++) {
        CompletableFuture<HeldLock> waiting = behind(client);
        lock.release("done");
        HeldLock next = waiting.get(20, TimeUnit.SECONDS);
        assertThat(endedAt(lock)).isLessThanOrEqualTo(next.token());
        assertThat(lock.valid()).isFalse();
        lock = next;
      }
      assertThat(interference.spent()).isTrue();
      assertThat(Bench.has(locks, lock.id(), "h1")).isTrue();
      lock.release("done");
      assertThat(locks.holds().table().locks()).isEmpty();
    }
  }

  /** It is ended by somebody else after the grantor decided what follows from its end. */
  @Test
  void isNotEndedASecondTime() throws Exception {
    EtcdLocks locks = bench.grantor(interference, Admission.exclusiveOnly());
    EtcdLocks elsewhere = bench.open();
    try (LockClient client = locks.client(LONG)) {
      Paused paused = pausedAtItsHandOver(client);
      HeldLock lock = paused.lock();
      elsewhere.desk().leave(lock.id(), "ann", "out of the way");
      long ended = endedAt(lock);
      interference.resume.countDown();

      Await.until("the next one is granted", () -> !elsewhere.holds().table().locks().isEmpty());
      paused.released().get(20, TimeUnit.SECONDS);
      assertThat(endedAt(lock)).isEqualTo(ended);
      assertThat(locks.lockOn("h1").orElseThrow().token()).isGreaterThan(ended);
    }
  }

  /** Of two who wait for its hosts one leaves after the grantor decided that both are next. */
  @Test
  void goesOnToWhoStillWaits() throws Exception {
    EtcdLocks locks = bench.grantor(interference, Admission.exclusiveOnly());
    EtcdLocks elsewhere = bench.open();
    try (LockClient client = locks.client(LONG)) {
      interference.pausingAt("hand over");
      for (int turn = 0; interference.paused.getCount() > 0; turn++) {
        assertThat(turn).as("the grantor ended no lock").isLessThan(MANY_TURNS);
        HeldLock lock = client.acquire(request("h1", "h2"));
        String leaves = "leaves" + turn;
        String stays = "stays" + turn;
        elsewhere.desk().submit(Bench.ticket(leaves, Mode.WAIT, "h1"), LONG);
        elsewhere.desk().submit(Bench.ticket(stays, Mode.WAIT, "h2"), LONG);
        Await.until("both wait", () -> locks.holds().table().tickets().size() == 2);
        CompletableFuture<Void> released =
            CompletableFuture.runAsync(() -> lock.release("done"), Thread::startVirtualThread);
        CompletableFuture.anyOf(released, CompletableFuture.runAsync(this::untilPaused)).get();
        if (interference.paused.getCount() == 0) {
          elsewhere.desk().leave(leaves, "ann", "changed my mind");
          interference.resume.countDown();
          released.get(20, TimeUnit.SECONDS);
          assertThat(endedAt(lock))
              .as("it ended by the hand that granted its host")
              .isEqualTo(elsewhere.lockOn("h2").orElseThrow().token());
          assertThat(elsewhere.lockOn("h1")).isEmpty();
        }
        elsewhere.desk().leave(leaves, "ann", "done");
        elsewhere.desk().leave(stays, "ann", "done");
      }
    }
  }

  /** Another grantor leads when what the last one decided arrives; the lock itself still stands. */
  @Test
  void isNotEndedByAGrantorOfBefore() throws Exception {
    EtcdLocks first = bench.open(interference);
    GrantorLoop loop = first.startGrantor(Admission.exclusiveOnly(), bench.candidates, true);
    Await.until("it leads", first::leads);
    try (LockClient client = first.client(LONG)) {
      Paused paused = pausedAtItsHandOver(client);
      loop.leadership().orElseThrow().pauseRenewal();
      EtcdLocks next = bench.open();
      next.startGrantor(Admission.exclusiveOnly(), bench.candidates);
      Await.until("another grantor leads", next::leads);
      interference.resume.countDown();

      paused.released().get(20, TimeUnit.SECONDS);
      Await.until("it grants the host", () -> !next.holds().table().locks().isEmpty());
      assertThat(next.lockOn("h1").orElseThrow().token()).isGreaterThan(endedAt(paused.lock()));
    }
  }

  /** A lock that the grantor is about to end. */
  private record Paused(HeldLock lock, CompletableFuture<Void> released) {}

  private Paused pausedAtItsHandOver(LockClient client) throws Exception {
    HeldLock lock = client.acquire(request("h1", "h2"));
    interference.pausingAt("hand over");
    for (int turn = 0; turn < MANY_TURNS; turn++) {
      CompletableFuture<HeldLock> waiting = behind(client);
      HeldLock leaving = lock;
      CompletableFuture<Void> released =
          CompletableFuture.runAsync(() -> leaving.release("done"), Thread::startVirtualThread);
      CompletableFuture.anyOf(released, CompletableFuture.runAsync(this::untilPaused)).get();
      if (interference.paused.getCount() == 0) {
        return new Paused(lock, released);
      }
      lock = waiting.get(20, TimeUnit.SECONDS);
    }
    throw new AssertionError("the grantor ended no lock");
  }

  private void untilPaused() {
    try {
      interference.paused.await();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whoever judges does not answer while the grantor decides what follows from an end. */
  @Test
  void doesNotWaitForAGrantorThatIsSlow() throws Exception {
    AtomicReference<String> leaving = new AtomicReference<>("");
    CountDownLatch judging = new CountDownLatch(1);
    CountDownLatch judged = new CountDownLatch(1);
    EtcdLocks locks =
        bench.grantor(
            interference,
            table -> {
              if (!table.locks().containsKey("h1") && stands(leaving.get())) {
                judging.countDown();
                await(judged);
              }
              return Admission.exclusiveOnly().begin(table);
            });
    try (LockClient client = locks.client(LONG)) {
      HeldLock lock = client.acquire(request("h1", "h2"));
      for (int turn = 0; turn < MANY_TURNS && judging.getCount() > 0; turn++) {
        CompletableFuture<HeldLock> waiting = behind(client);
        leaving.set(lock.id());
        lock.release("done");
        assertThat(stands(lock.id())).isFalse();
        if (judging.getCount() == 0) {
          assertThat(waiting).isNotDone();
          judged.countDown();
        }
        lock = waiting.get(20, TimeUnit.SECONDS);
      }
      assertThat(judging.getCount()).as("the grantor was to end a lock").isZero();
    }
  }

  private boolean stands(String id) {
    return bench
        .direct()
        .read(new Key.Session(id))
        .filter(record -> record.value() instanceof SessionLock.Held)
        .isPresent();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(40, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  /** Somebody who waits for one of the hosts, in the queue. */
  private static CompletableFuture<HeldLock> behind(LockClient client) {
    CompletableFuture<HeldLock> waiting = acquiring(client, "h1");
    Await.until("it waits", () -> client.waiters() > 0 || waiting.isDone());
    return waiting;
  }

  /** The revision at which its record says that it ended. */
  private long endedAt(HeldLock lock) {
    return bench.direct().read(new Key.Session(lock.id())).orElseThrow().modified();
  }
}
