package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What programs ask of a lock client, and threads of theirs that wait for it. */
final class Programs {
  /** More patience than any test needs. */
  static final Duration LONG = Duration.ofSeconds(60);

  private Programs() {}

  static LockClient.Request request(String... hosts) {
    return request(LONG, hosts);
  }

  static LockClient.Request request(Duration patience, String... hosts) {
    return new LockClient.Request(List.of(hosts), "kernel-team", "firmware", patience);
  }

  /** A thread that asks for a lock. */
  record Waiting(Thread thread, CompletableFuture<HeldLock> lock) {
    /** Interrupts it before it has the lock. */
    void giveUp() {
      thread.interrupt();
      assertThat(lock)
          .failsWithin(LONG)
          .withThrowableThat()
          .withCauseInstanceOf(InterruptedException.class);
    }
  }

  static Waiting waiting(LockClient client, LockClient.Request request) {
    CompletableFuture<HeldLock> lock = new CompletableFuture<>();
    Thread thread =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    lock.complete(client.acquire(request));
                  } catch (Exception failed) {
                    lock.completeExceptionally(failed);
                  }
                });
    return new Waiting(thread, lock);
  }

  static CompletableFuture<HeldLock> acquiring(LockClient client, String... hosts) {
    return waiting(client, request(hosts)).lock();
  }
}
