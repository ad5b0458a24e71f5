package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.Programs.LONG;
import static dev.drydock.lock.etcd.Programs.request;
import static dev.drydock.lock.etcd.Programs.waiting;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.SessionIds;
import dev.drydock.lock.core.txn.Key;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stack")
class LockClientTest {
  private final Bench bench = new Bench();
  private final Interference interference = new Interference();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void manyClientsHaveEachHostOneByOneWithRisingTokens() throws Exception {
    EtcdLocks locks = bench.grantor();
    AtomicInteger inside = new AtomicInteger();
    List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
    List<Callable<Void>> clients = new ArrayList<>();
    try (LockClient client = locks.client(LONG)) {
      for (int i = 0; i < 20; i++) {
        clients.add(
            () -> {
              for (int turn = 0; turn < 5; turn++) {
                try (HeldLock lock = client.acquire(request("h1", "h2"))) {
                  assertThat(inside.incrementAndGet()).isEqualTo(1);
                  tokens.add(lock.token());
                  inside.decrementAndGet();
                }
              }
              return null;
            });
      }
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (Future<Void> done : threads.invokeAll(clients)) {
          done.get();
        }
      }
    }
    assertThat(tokens).hasSize(100).isSorted().doesNotHaveDuplicates();
    assertThat(locks.holds().table().locks()).isEmpty();
    assertThat(locks.holds().table().ended()).containsOnlyKeys("h1", "h2");
  }

  @Test
  void lockOnManyHostsIsOneRecordAndWhatItLeavesGoesWithTheNext() throws Exception {
    EtcdLocks locks = bench.grantor();
    try (LockClient client = locks.client(LONG)) {
      for (int turn = 0; turn < 5; turn++) {
        try (HeldLock lock = client.acquire(request("h1", "h2", "h3"))) {
          assertThat(locks.holds().table().locks()).hasSize(3);
          assertThat(records(lock.id())).hasSize(1);
        }
      }
      client.acquire(request("h3", "h4")).release("done");
    }

    assertThat(records("")).as("of the last on h1, and of the last on h3").hasSize(2);
    assertThat(locks.holds().table().ended()).containsOnlyKeys("h1", "h2", "h3", "h4");
    assertThat(bench.everything())
        .extracting(found -> found.getKey().toString())
        .noneMatch(key -> key.contains("/locks/") || key.contains("/ended/"));
  }

  /** What etcd has of session locks whose id begins so. */
  private List<KeyValue> records(String id) {
    String start = new String(bench.direct().keys().of(new Key.Session(id)).getBytes(), UTF_8);
    return bench.everything().stream()
        .filter(found -> found.getKey().toString().startsWith(start))
        .toList();
  }

  @Test
  void tryIsRefusedWithTheHolder() throws Exception {
    EtcdLocks locks = bench.grantor();
    try (LockClient client = locks.client(LONG);
        HeldLock held = client.acquire(request(Duration.ZERO, "h1"))) {
      assertThat(held.valid()).isTrue();
      assertThatThrownBy(() -> client.acquire(request(Duration.ZERO, "h1", "h2")))
          .isInstanceOf(LockClient.RefusedException.class)
          .hasMessageContaining("h1 is held by kernel-team");
    }
  }

  @Test
  void whoeverIsOutOfPatienceLeavesTheQueue() throws Exception {
    EtcdLocks locks = bench.grantor();
    try (LockClient client = locks.client(LONG);
        HeldLock held = client.acquire(request("h1"))) {
      assertThatThrownBy(() -> client.acquire(request(Duration.ofSeconds(1), "h1")))
          .isInstanceOf(LockClient.RefusedException.class);
      assertThat(held.valid()).isTrue();
      assertThat(locks.holds().table().tickets()).isEmpty();
    }
  }

  @Test
  void interruptedWaitLeavesNothingBehind() throws Exception {
    EtcdLocks locks = bench.grantor();
    try (LockClient client = locks.client(LONG)) {
      HeldLock held = client.acquire(request("h1"));
      Programs.Waiting waiting = waiting(client, request("h1"));
      Await.until("it waits", () -> locks.holds().table().tickets().size() == 1);

      waiting.giveUp();
      Await.until("it left", () -> locks.holds().table().tickets().isEmpty());

      held.release("done");
      assertThat(locks.lockOn("h1")).isEmpty();
    }
  }

  @Test
  void lostSessionLetsItsLocksLapseAfterALease() throws Exception {
    EtcdLocks locks = bench.grantor();
    LockClient client = locks.client(Duration.ofSeconds(3));
    HeldLock held = client.acquire(request("h1"));
    lose(held);
    long lost = System.nanoTime();

    try (LockClient other = locks.client(LONG);
        HeldLock next = other.acquire(request("h1"))) {
      assertThat(next.token()).isGreaterThan(held.token());
      assertThat(Duration.ofNanos(System.nanoTime() - lost)).isGreaterThan(Duration.ofMillis(2900));
      assertThatThrownBy(() -> client.acquire(request("h2")))
          .isInstanceOf(SessionLostException.class);
      assertThat(held.valid()).isFalse();
      held.release("too late");
      assertThat(locks.lockOn("h1").map(LockRecord::token)).contains(next.token());
    }
    client.close();
  }

  /** Not that it was refused, nor only once its patience is at its end. */
  @Test
  void whoWaitsIsToldWhenTheSessionIsLost() throws Exception {
    EtcdLocks locks = bench.grantor();
    LockClient client = locks.client(LONG);
    try (LockClient other = locks.client(LONG);
        HeldLock held = other.acquire(request("h1"))) {
      CompletableFuture<HeldLock> waits = Programs.acquiring(client, "h1");
      Await.until("it waits", () -> client.waiters() == 1);

      lose(client.acquire(request("h2")));

      assertThat(waits)
          .failsWithin(LONG.dividedBy(2))
          .withThrowableThat()
          .withCauseInstanceOf(SessionLostException.class);
      assertThat(held.valid()).isTrue();
    }
    client.close();
  }

  private void lose(HeldLock held) {
    bench
        .direct()
        .commit(
            dev.drydock.lock.core.txn.Transaction.named("lose")
                .delete(new Key.Alive(SessionIds.aliveId(held.id())))
                .build());
  }

  @Test
  void answerOfTicketsLost_isOneTicketEach() throws Exception {
    bench.grantor();
    interference.losingAnswerOf("take ticket");
    acquiresAndReleasesOnce(bench.open(interference));
  }

  @Test
  void requestOfTicketsLost_isOneTicketEach() throws Exception {
    bench.grantor();
    interference.losingRequestOf("take ticket");
    acquiresAndReleasesOnce(bench.open(interference));
  }

  @Test
  void answerOfReleaseLost_isReleased() throws Exception {
    interference.losingAnswerOf("release");
    acquiresAndReleasesOnce(bench.grantor(interference, Admission.exclusiveOnly()));
  }

  @Test
  void requestOfReleaseLost_isReleased() throws Exception {
    interference.losingRequestOf("release");
    acquiresAndReleasesOnce(bench.grantor(interference, Admission.exclusiveOnly()));
  }

  @Test
  void answerOfGrantLost_isOneGrantEach() throws Exception {
    interference.losingAnswerOf("grant");
    acquiresAndReleasesOnce(bench.grantor(interference, Admission.exclusiveOnly()));
  }

  @Test
  void requestOfGrantLost_isOneGrantEach() throws Exception {
    interference.losingRequestOf("grant");
    acquiresAndReleasesOnce(bench.grantor(interference, Admission.exclusiveOnly()));
  }

  /** Its clients have tickets. */
  @Test
  void answerOfGrantOfATicketLost_isOneGrantEach() throws Exception {
    interference.losingAnswerOf("grant");
    bench.grantor(interference, Admission.exclusiveOnly());
    acquiresAndReleasesOnce(bench.open());
  }

  /** Several at once, so that what is lost is a group. */
  private void acquiresAndReleasesOnce(EtcdLocks locks) throws Exception {
    List<Callable<Long>> clients = new ArrayList<>();
    try (LockClient client = locks.client(LONG)) {
      for (int i = 0; i < 8; i++) {
        String host = "h" + i;
        clients.add(
            () -> {
              try (HeldLock lock = client.acquire(request(host))) {
                return lock.token();
              }
            });
      }
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (Future<Long> done : threads.invokeAll(clients)) {
          assertThat(done.get()).isPositive();
        }
      }
      assertThat(interference.spent()).isTrue();
      assertThat(locks.holds().table().tickets()).isEmpty();
      assertThat(locks.holds().table().locks()).isEmpty();
      assertThat(locks.holds().table().ended()).hasSize(8);
    }
  }

  /** The mirror was away when it was refused, and what it missed is compacted. */
  @Test
  void refusedTryWhoseAnswersWereLostIsNotEnteredAgain() throws Exception {
    EtcdLocks locks = bench.grantor();
    Interference interference = new Interference();
    EtcdLocks asks = bench.open(interference);
    try (LockClient holder = locks.client(LONG);
        LockClient client = asks.client(LONG)) {
      HeldLock held = holder.acquire(request("h1"));
      Await.until("it is seen", () -> asks.lockOn("h1").isPresent());
      asks.mirror().cutOff();
      interference.losingAnswerOf("take ticket");
      CompletableFuture<HeldLock> tried = waiting(client, request(Duration.ZERO, "h1")).lock();
      Await.until(
          "it is refused",
          () ->
              bench.everything().stream()
                  .anyMatch(found -> found.getKey().toString().contains("/verdicts/s-")));
      held.release("done");
      Await.until("the host is free", () -> locks.lockOn("h1").isEmpty());
      bench.direct().compact(bench.direct().revision());
      asks.mirror().reconnect();

      assertThatThrownBy(tried::join).hasRootCauseInstanceOf(LockClient.RefusedException.class);
      client.acquire(request("h2")).release("whoever entered before it has been granted");
      assertThat(locks.lockOn("h1")).isEmpty();
    }
  }
}
