package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.Programs.LONG;
import static dev.drydock.lock.etcd.Programs.acquiring;
import static dev.drydock.lock.etcd.Programs.request;
import static dev.drydock.lock.etcd.Programs.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients in the grantor's own process, over a real etcd. */
@Tag("stack")
class WalkInTest {
  private static final int TURNS = 10;
  private static final Brake STORM = new Brake("ann", "storm", Instant.EPOCH);

  private final Bench bench = new Bench();
  private final Interference interference = new Interference();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void isGrantedWithoutATicket_andSoAgainAfterItsRelease() throws Exception {
    Names names = new Names();
    EtcdLocks locks = bench.grantor(names, Admission.exclusiveOnly());
    // Whoever is not heard of in time takes one: on a machine that stands still now and then.
    assertThat(tickets(locks, names)).isLessThan(TURNS / 2);
  }

  /** The control: who is in another process needs a ticket. */
  @Test
  void elsewhereItNeedsATicket() throws Exception {
    bench.grantor();
    Names names = new Names();
    assertThat(tickets(bench.open(names), names)).isEqualTo(TURNS);
  }

  /** How many it takes. */
  private static long tickets(EtcdLocks locks, Names names) throws Exception {
    try (LockClient client = locks.client(LONG)) {
      for (int turn = 0; turn < TURNS; turn++) {
        try (HeldLock lock = client.acquire(request("h1", "h2"))) {
          assertThat(lock.valid()).isTrue();
          assertThat(locks.lockOn("h2").map(LockRecord::token)).contains(lock.token());
        }
      }
    }
    return names.sent.stream().filter("take ticket"::equals).count();
  }

  /** The grantor decided when nobody else was there; then somebody entered the queue. */
  @Test
  void doesNotPassWhoEnteredUnseen() throws Exception {
    EtcdLocks locks = bench.grantor(interference, Admission.exclusiveOnly());
    EtcdLocks elsewhere = bench.open();
    try (LockClient client = locks.client(LONG)) {
      CompletableFuture<HeldLock> walksIn = pausedAtItsGrant(client).lock();
      elsewhere.desk().submit(Bench.ticket("t1", Mode.WAIT, "h1"), LONG);
      interference.resume.countDown();

      Await.until("t1 is granted", () -> holds(locks, "t1"));
      Await.until("the other waits", () -> locks.holds().table().tickets().size() == 1);
      assertThat(walksIn).isNotDone();
      long first = locks.lockOn("h1").orElseThrow().token();
      elsewhere.desk().leave("t1", "kernel-team", "done");
      try (HeldLock next = walksIn.get(20, TimeUnit.SECONDS)) {
        assertThat(next.token()).isGreaterThan(first);
      }
    }
  }

  @Test
  void waitsBehindWhoWaits() throws Exception {
    EtcdLocks locks = bench.grantor();
    Bench.take(locks, "t1", "h1");
    locks.desk().submit(Bench.ticket("t2", Mode.WAIT, "h1", "h2"), LONG);
    try (LockClient client = locks.client(LONG)) {
      CompletableFuture<HeldLock> later = acquiring(client, "h2");
      Await.until("it waits", () -> locks.holds().table().tickets().size() == 2);
      locks.desk().leave("t1", "kernel-team", "done");
      Await.until("t2 is granted", () -> holds(locks, "t2"));
      locks.desk().leave("t2", "kernel-team", "done");
      later.get(20, TimeUnit.SECONDS).release("done");
    }
  }

  @Test
  void waitsWhereABudgetIsUsedUp() throws Exception {
    EtcdLocks locks = bench.grantor(TransactionHook.NONE, Bench.atMost(1));
    try (LockClient client = locks.client(LONG)) {
      HeldLock first = client.acquire(request("h1"));
      CompletableFuture<HeldLock> second = acquiring(client, "h2");
      Await.until("it waits", () -> locks.holds().table().tickets().size() == 1);
      first.release("done");
      second.get(20, TimeUnit.SECONDS).release("done");
    }
  }

  @Test
  void waitsWhileTheBrakeIsOn() throws Exception {
    EtcdLocks locks = bench.grantor();
    locks.brake().pull(STORM);
    try (LockClient client = locks.client(LONG)) {
      CompletableFuture<HeldLock> frozen = acquiring(client, "h1");
      Await.until("it waits", () -> locks.holds().table().tickets().size() == 1);
      locks.brake().lift(STORM, "ann", "over");
      frozen.get(20, TimeUnit.SECONDS).release("done");
    }
  }

  /** Decided with the brake off, which is on when the grant arrives. */
  @Test
  void theBrakeStopsWhatIsDecidedAlready() throws Exception {
    EtcdLocks locks = bench.grantor(interference, Admission.exclusiveOnly());
    EtcdLocks elsewhere = bench.open();
    try (LockClient client = locks.client(LONG)) {
      CompletableFuture<HeldLock> walksIn = pausedAtItsGrant(client).lock();
      elsewhere.brake().pull(STORM);
      interference.resume.countDown();

      Await.until("it waits", () -> locks.holds().table().tickets().size() == 1);
      assertThat(locks.lockOn("h1")).isEmpty();
      elsewhere.brake().lift(STORM, "ann", "over");
      walksIn.get(20, TimeUnit.SECONDS).release("done");
    }
  }

  /** Its answer is lost for good, and so is its client's patience. */
  @Test
  void grantThatNobodyWaitsForAnyMoreEnds() throws Exception {
    EtcdLocks locks = bench.grantor(interference, Admission.exclusiveOnly());
    try (LockClient client = locks.client(LONG)) {
      losesPatienceWhileItIsGranted(client);

      try (LockClient other = locks.client(LONG)) {
        other.acquire(request("h1")).release("done");
      }
      Await.until("nothing is left", () -> locks.lockOn("h1").isEmpty());
    }
  }

  /** The same, and the grantor does not hear what became of the grant. */
  @Test
  void grantWithoutAnAnswerThatNobodyWaitsForAnyMoreEnds() throws Exception {
    EtcdLocks locks = bench.grantor(interference, Admission.exclusiveOnly());
    interference.losingAnswerOf("grant");
    try (LockClient client = locks.client(LONG)) {
      losesPatienceWhileItIsGranted(client);
      Await.until("the answer was lost", interference::spent);
      try (LockClient other = bench.open().client(LONG)) {
        other.acquire(request("h1")).release("done");
      }
    }
  }

  private void losesPatienceWhileItIsGranted(LockClient client) throws InterruptedException {
    pausedAtItsGrant(client).giveUp();
    interference.resume.countDown();
  }

  /** Decided about; nothing is written before {@code resume}. */
  private Programs.Waiting pausedAtItsGrant(LockClient client) throws InterruptedException {
    interference.pausingAt("grant");
    Programs.Waiting waiting = waiting(client, request("h1"));
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    return waiting;
  }

  /** Its holder knows from etcd, is done, and has released it. */
  @Test
  void grantIsNotRepeatedWhoseAnswerCameAfterItsRelease() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    EtcdLocks locks =
        bench.grantor(
            new TransactionHook() {
              @Override
              public void before(String transaction) {}

              @Override
              public void after(String transaction) {
                if (transaction.equals("grant") && released.getCount() > 0) {
                  await(released);
                  throw new UnknownOutcomeException("answer lost by the test", null);
                }
              }
            },
            Admission.exclusiveOnly());
    try (LockClient client = locks.client(LONG);
        LockClient other = bench.open().client(LONG)) {
      client.acquire(request("h1")).release("done");
      released.countDown();
      other.acquire(request("h1")).release("done");
      client.acquire(request("h2")).release("done");
      assertThat(locks.holds().table().locks()).isEmpty();
    }
  }

  /** Whoever judges does not answer. */
  @Test
  void isAsPatientAtTheDoorAsInTheQueue() throws Exception {
    CountDownLatch judging = new CountDownLatch(1);
    CountDownLatch judged = new CountDownLatch(1);
    EtcdLocks locks =
        bench.grantor(
            TransactionHook.NONE,
            table -> {
              if (!table.tickets().isEmpty()) {
                judging.countDown();
                await(judged);
              }
              return Admission.exclusiveOnly().begin(table);
            });
    try (LockClient client = locks.client(LONG)) {
      LockClient.Request hasty = request(Duration.ofMillis(500), "h1");
      assertThatThrownBy(() -> client.acquire(hasty))
          .isInstanceOf(LockClient.RefusedException.class)
          .hasMessageContaining("not granted in time");
      assertThat(judging.getCount()).as("it was at the door").isZero();
      judged.countDown();
      client.acquire(request("h1")).release("done");
      assertThat(locks.holds().table().locks()).isEmpty();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(40, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void theNextGrantorServesWhoStoodAtTheDoorOfTheLast() throws Exception {
    EtcdLocks first = bench.open(interference);
    GrantorLoop loop = first.startGrantor(Admission.exclusiveOnly(), bench.candidates, true);
    Await.until("it leads", first::leads);
    try (LockClient client = first.client(LONG)) {
      CompletableFuture<HeldLock> granting = pausedAtItsGrant(client).lock();
      CompletableFuture<HeldLock> atTheDoor = acquiring(client, "h2");
      loop.leadership().orElseThrow().pauseRenewal();
      EtcdLocks next = bench.open();
      next.startGrantor(Admission.exclusiveOnly(), bench.candidates);
      Await.until("another grantor leads", next::leads);
      interference.resume.countDown();

      granting.get(20, TimeUnit.SECONDS).release("done");
      atTheDoor.get(20, TimeUnit.SECONDS).release("done");
    }
  }

  private static boolean holds(EtcdLocks locks, String id) {
    return locks.desk().find(id).filter(Standing.Held.class::isInstance).isPresent();
  }
}
