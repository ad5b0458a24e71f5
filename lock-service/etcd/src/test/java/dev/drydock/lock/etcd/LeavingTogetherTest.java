package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.Programs.LONG;
import static dev.drydock.lock.etcd.Programs.acquiring;
import static dev.drydock.lock.etcd.Programs.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.txn.Key;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Programs whose locks the grantor in their process would end in one transaction. */
@Tag("stack")
class LeavingTogetherTest {
  /** Enough for both to meet one pass of the grantor at least once, however busy the machine. */
  private static final int TURNS_MAX = 300;

  private final Bench bench = new Bench();

  @AfterEach
  void close() {
    bench.close();
  }

  /** Makes two leave while the grantor is about to grant something, and counts who ends locks. */
  private static final class Watched implements TransactionHook {
    final AtomicReference<Runnable> beforeGrant = new AtomicReference<>(() -> {});
    final AtomicReference<Runnable> beforeHandOver = new AtomicReference<>(() -> {});
    final AtomicInteger apart = new AtomicInteger();

    @Override
    public void before(String transaction) {
      switch (transaction) {
        case "grant" -> beforeGrant.getAndSet(() -> {}).run();
        case "hand over" -> beforeHandOver.getAndSet(() -> {}).run();
        case "end locks" -> apart.incrementAndGet();
        default -> {}
      }
    }
  }

  @Test
  void oneWhoseLockIsGoneHoldsUpNobodyElse() throws Exception {
    Watched watched = new Watched();
    EtcdLocks locks = bench.grantor(watched, Admission.exclusiveOnly());
    EtcdLocks elsewhere = bench.open();
    try (LockClient ann = locks.client(LONG);
        LockClient bob = locks.client(LONG);
        LockClient others = locks.client(LONG)) {
      for (int turn = 0; turn < TURNS_MAX && watched.apart.get() == 0; turn++) {
        HeldLock gone = ann.acquire(request("h1"));
        HeldLock stands = bob.acquire(request("h2"));
        CompletableFuture<HeldLock> first = acquiring(others, "h1");
        CompletableFuture<HeldLock> second = acquiring(others, "h2");
        Await.until("both wait", () -> others.waiters() == 2);
        CompletableFuture<Void> released = new CompletableFuture<>();
        watched.beforeHandOver.set(() -> elsewhere.desk().leave(gone.id(), "ann", "broken"));
        watched.beforeGrant.set(() -> leave(gone, stands, released));

        others.acquire(request("h3")).release("done");
        released.get(20, TimeUnit.SECONDS);
        watched.beforeHandOver.set(() -> {});

        HeldLock next = second.get(20, TimeUnit.SECONDS);
        assertThat(endedAt(stands)).isLessThanOrEqualTo(next.token());
        first.get(20, TimeUnit.SECONDS).release("done");
        next.release("done");
        Await.until("all is free", () -> locks.holds().table().locks().isEmpty());
      }
    }
    assertThat(watched.apart).as("ends that the grantor sent one by one").hasValue(1);
  }

  /** Both have taken their marks when this returns, and are at the grantor's door or nearly so. */
  private void leave(HeldLock one, HeldLock other, CompletableFuture<Void> released) {
    long marks = bench.marks.get();
    CompletableFuture.allOf(released(one), released(other))
        .whenComplete((done, failed) -> released.complete(null));
    Await.until("both leave", () -> bench.marks.get() >= marks + 2);
  }

  private static CompletableFuture<Void> released(HeldLock lock) {
    return CompletableFuture.runAsync(() -> lock.release("done"), Thread::startVirtualThread);
  }

  /** The revision at which its record says that it ended. */
  private long endedAt(HeldLock lock) {
    return bench.direct().read(new Key.Session(lock.id())).orElseThrow().modified();
  }
}
