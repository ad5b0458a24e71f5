package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.Programs.LONG;
import static dev.drydock.lock.etcd.Programs.request;
import static dev.drydock.lock.etcd.Programs.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks that end together: what is wrong with one of them is no harm to the others. */
@Tag("stack")
class ReleaseTest {
  private final Interference interference = new Interference();
  private final List<Thread> threads = new ArrayList<>();
  private final Bench bench = new Bench();

  @AfterEach
  void close() {
    interference.resume.countDown();
    bench.close();
  }

  @Test
  void lockReleasedTwiceAtOnceHoldsUpNobody() throws Exception {
    EtcdLocks locks = bench.grantor();
    try (LockClient client = bench.open(interference).client(LONG)) {
      HeldLock twice = client.acquire(request("h1"));
      HeldLock other = client.acquire(request("h2"));
      List<CompletableFuture<Void>> ends =
          together(
              client.acquire(request("h0")),
              () -> twice.release("done"),
              () -> twice.release("done again"),
              () -> other.release("done"));

      ends.forEach(CompletableFuture::join);
      assertThat(locks.holds().table().locks()).isEmpty();
    }
  }

  /** Broken by somebody else when it is already in a group, of which its program does not hear. */
  @Test
  void lockThatIsGoneHoldsUpNobody() throws Exception {
    EtcdLocks locks = bench.grantor();
    EtcdLocks program = bench.open(interference);
    try (LockClient client = program.client(LONG)) {
      HeldLock gone = client.acquire(request("h1"));
      HeldLock other = client.acquire(request("h2"));
      List<CompletableFuture<Void>> ends =
          togetherAfter(
              client.acquire(request("h0")),
              () -> {
                program.mirror().cutOff();
                locks.desk().leave(gone.id(), "ann", "broken");
              },
              () -> gone.release("done"),
              () -> other.release("done"));

      ends.get(1).get(8, TimeUnit.SECONDS);
      assertThat(ends.get(0)).isNotDone();
      program.mirror().reconnect();
      ends.get(0).join();
      assertThat(locks.holds().table().locks()).isEmpty();
    }
  }

  @Test
  void releaseThatEtcdRefusesFailsAlone() throws Exception {
    try (Bench small = Bench.onASmallEtcd()) {
      EtcdLocks locks = small.grantor();
      try (LockClient client = small.open(interference).client(LONG)) {
        HeldLock refused = client.acquire(request("h1"));
        HeldLock other = client.acquire(request("h2"));
        List<CompletableFuture<Void>> ends =
            together(
                client.acquire(request("h0")),
                () -> refused.release("x".repeat(200_000)),
                () -> other.release("done"));

        ends.get(1).join();
        assertThatThrownBy(ends.get(0)::join)
            .isInstanceOf(CompletionException.class)
            .hasCauseInstanceOf(EtcdRefusedException.class)
            .hasMessageContaining("request is too large");
        assertThat(locks.holds().table().locks()).containsOnlyKeys("h1");
        refused.release("done");
        assertThat(locks.holds().table().locks()).isEmpty();
      }
    }
  }

  @Test
  void withoutMarksOnlyLocksWait() throws Exception {
    EtcdLocks locks = bench.grantor();
    try (LockClient client = locks.client(LONG)) {
      HeldLock held = client.acquire(request("h1"));
      Programs.Waiting waiting = waiting(client, request("h1"));
      Await.until("it waits", () -> locks.holds().table().tickets().size() == 1);
      bench.noMarks = true;
      CompletableFuture<Void> released = run(() -> held.release("done"));
      waiting.giveUp();

      Await.until("whoever only waits leaves", () -> locks.holds().table().tickets().isEmpty());
      assertThat(released).isNotDone();
      bench.noMarks = false;
      released.join();
      assertThat(locks.lockOn("h1")).isEmpty();
    }
  }

  /** All of them wait until {@code first} was released, and go together then. */
  private List<CompletableFuture<Void>> together(HeldLock first, Runnable... releases)
      throws InterruptedException {
    return togetherAfter(first, () -> {}, releases);
  }

  /** The same, and something happens before they go. */
  private List<CompletableFuture<Void>> togetherAfter(
      HeldLock first, Runnable meanwhile, Runnable... releases) throws InterruptedException {
    interference.pausingAt("release");
    CompletableFuture<Void> before = run(() -> first.release("done"));
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (Runnable release : releases) {
      ends.add(run(release));
    }
    Await.until(
        "they wait for the one before",
        () -> threads.stream().skip(1).allMatch(each -> each.getState() == Thread.State.WAITING));
    meanwhile.run();
    interference.resume.countDown();
    before.join();
    return ends;
  }

  private CompletableFuture<Void> run(Runnable release) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    threads.add(
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    release.run();
                    end.complete(null);
                  } catch (RuntimeException failed) {
                    end.completeExceptionally(failed);
                  }
                }));
    return end;
  }
}
