package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.Programs.LONG;
import static dev.drydock.lock.etcd.Programs.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.core.SessionIds;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionTransactions;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a program has and leaves behind when calls fail and locks are taken from it. */
@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
class LockClientFaultsTest {
  private final Bench bench = new Bench();
  private final Silence silence = new Silence();

  @AfterEach
  void close() {
    bench.close();
  }

  /** etcd carries out what it is told by a client that hears and says nothing more. */
  private static final class Silence implements TransactionHook {
    volatile boolean on;

    @Override
    public void before(String transaction) {
      if (on && !transaction.equals("take ticket")) {
        throw new UnknownOutcomeException("request lost by the test", null);
      }
    }

    @Override
    public void after(String transaction) {
      if (on) {
        throw new UnknownOutcomeException("answer lost by the test", null);
      }
    }
  }

  @Test
  void acquireThatFailedLeavesNoTicketBehind() throws Exception {
    EtcdLocks locks = bench.grantor();
    try (LockClient client = hardlyPatient().client(LONG);
        HeldLock held = client.acquire(request("h1"))) {
      failsToAcquire(client, "h1");
      assertThat(locks.holds().table().tickets()).hasSize(1);

      silence.on = false;

      Await.until("it leaves", () -> locks.holds().table().tickets().isEmpty());
      assertThat(held.valid()).isTrue();
    }
  }

  @Test
  void acquireThatFailedKeepsNoLockThatItIsGrantedLater() throws Exception {
    EtcdLocks locks = bench.grantor();
    try (LockClient other = locks.client(LONG);
        LockClient client = hardlyPatient().client(LONG)) {
      HeldLock held = other.acquire(request("h1"));
      failsToAcquire(client, "h1");
      held.release("done");
      Await.until(
          "it is granted for nobody",
          () -> locks.lockOn("h1").filter(lock -> lock.token() > held.token()).isPresent());

      silence.on = false;

      Await.until("it is released", () -> locks.lockOn("h1").isEmpty());
      assertThat(client.acquire(request(Duration.ZERO, "h1")).valid()).isTrue();
    }
  }

  private EtcdLocks hardlyPatient() {
    bench.budget = Duration.ofSeconds(1);
    return bench.open(silence);
  }

  private void failsToAcquire(LockClient client, String host) {
    silence.on = true;
    assertThatThrownBy(() -> client.acquire(request(host)))
        .isInstanceOf(UnknownOutcomeException.class);
  }

  /** The first try of moving the fence arrives after all, when the fence is elsewhere. */
  @Test
  void fenceThatArrivesLateLosesNoSession() throws Exception {
    bench.grantor();
    Interference interference = new Interference();
    try (LockClient client = bench.open(interference).client(LONG)) {
      HeldLock held = client.acquire(request("h1"));
      String session = SessionIds.aliveId(held.id());
      KeyValue before = bench.direct().get(new Key.Alive(session)).orElseThrow();
      interference.losingAnswerOf("take ticket");
      client.acquire(request("h2"));
      Await.until("the fence moved", () -> modified(session) > before.getModRevision());

      bench
          .direct()
          .commit(
              SessionTransactions.fence(session, before.getModRevision(), 60, before.getLease()));

      assertThat(client.acquire(request("h3")).valid()).isTrue();
      assertThat(held.valid()).isTrue();
    }
  }

  /** Whoever moves the fence, a session is lost only with its alive key. */
  @Test
  void fenceThatMovedUnseenLosesNoSession() throws Exception {
    bench.grantor();
    try (LockClient client = bench.open().client(LONG)) {
      HeldLock held = client.acquire(request("h1"));
      String session = SessionIds.aliveId(held.id());
      KeyValue alive = bench.direct().get(new Key.Alive(session)).orElseThrow();
      bench
          .direct()
          .commit(SessionTransactions.fence(session, alive.getModRevision(), 60, alive.getLease()));

      assertThat(client.acquire(request("h2")).valid()).isTrue();
      assertThat(held.valid()).isTrue();
    }
  }

  private long modified(String session) {
    return bench.direct().get(new Key.Alive(session)).orElseThrow().getModRevision();
  }

  @Test
  void lockThatWasBrokenIsNotValid() throws Exception {
    EtcdLocks locks = bench.grantor();
    try (LockClient client = locks.client(LONG)) {
      HeldLock held = client.acquire(request("h1"));
      HeldLock other = client.acquire(request("h2"));

      locks.holds().quarantine(held.id(), "h1", "broken by an administrator");

      Await.until("its client knows", () -> !held.valid());
      assertThat(other.valid()).as("another one").isTrue();
    }
  }

  @Test
  void lockThatSomebodyElseHasIsNotValid() throws Exception {
    EtcdLocks locks = bench.grantor();
    try (LockClient client = locks.client(LONG);
        LockClient other = locks.client(LONG)) {
      HeldLock held = client.acquire(request("h1"));
      locks.holds().quarantine(held.id(), "h1", "broken by an administrator");
      locks.endQuarantine(locks.lockOn("h1").orElseThrow(), "admin", "looked at");

      HeldLock next = other.acquire(request("h1"));

      assertThat(next.valid()).isTrue();
      assertThat(held.valid()).as("two believe to have h1").isFalse();
    }
  }

  @Test
  void lockWhoseSessionOrRecordIsGoneIsNotValid() throws Exception {
    EtcdLocks locks = bench.grantor();
    try (LockClient client = locks.client(LONG)) {
      HeldLock removed = client.acquire(request("h1"));
      HeldLock lapsed = client.acquire(request("h2"));

      delete(new Key.Session(removed.id()));
      Await.until("its client knows", () -> !removed.valid());
      assertThat(lapsed.valid()).isTrue();

      delete(new Key.Alive(SessionIds.aliveId(lapsed.id())));
      Await.until("its client knows", () -> !lapsed.valid());
    }
  }

  private void delete(Key<?> key) {
    bench.direct().commit(Transaction.named("delete").delete(key).build());
  }

  @Test
  void closedClientIsToldNothingMore() {
    EtcdLocks locks = bench.grantor();
    int before = locks.mirror().followers();
    for (int i = 0; i < 5; i++) {
      locks.client(LONG).close();
    }
    assertThat(locks.mirror().followers()).isEqualTo(before);
  }
}
