package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.HostQueue;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Transaction;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Thousands wait for one host: what is worked out about them keeps nobody from hearing of etcd. */
@Tag("stack")
class LongQueueTest {
  private static final int WAITERS = 3000;
  private static final int SEEN_MIN = 20;

  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final EtcdLocks locks = etcdTestBed.open();
  private volatile boolean over;

  @AfterEach
  void close() {
    over = true;
    etcdTestBed.close();
  }

  @Test
  void oneTicketIsLookedUpWhileTheMirrorGoesOn() {
    lineUp();
    String last = "t" + (WAITERS - 1);
    assertThat(locks.desk().find(last).orElseThrow())
        .isInstanceOfSatisfying(
            RequestStatus.Waiting.class,
            waiting -> assertThat(waiting.place().position()).isEqualTo(WAITERS));
    mirrorGoesOnDuring(() -> locks.desk().find(last));
  }

  @Test
  void allAreListedWhileTheMirrorGoesOn() {
    lineUp();
    mirrorGoesOnDuring(() -> locks.desk().all());
  }

  /** No grantor runs, so the line stands. */
  private void lineUp() {
    for (int from = 0; from < WAITERS; from += 1000) {
      Transaction.Building some = Transaction.named("line up");
      for (int i = from; i < from + 1000; i++) {
        Ticket ticket = EtcdTestBed.ticket("t" + i, Mode.WAIT, "h1");
        some.put(new Key.Ticket(ticket.id(), i - from), ticket);
      }
      assertThat(etcdTestBed.direct().commit(some.build()).isSucceeded()).isTrue();
    }
  }

  /**
   * Looks again and again where the thread is, which is found at work on the queue now and then.
   */
  private void mirrorGoesOnDuring(Callable<?> work) {
    CompletableFuture<Void> failed = new CompletableFuture<>();
    Thread worker = Thread.ofPlatform().start(() -> again(work, failed));
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    int[] seen = {0};
    Await.until(
        "seen at work " + SEEN_MIN + " times",
        () -> {
          failed.getNow(null);
          ThreadInfo at = threads.getThreadInfo(new long[] {worker.threadId()}, true, false)[0];
          if (at != null && atWork(at)) {
            seen[0]++;
            assertThat(at.getLockedMonitors())
                .as("what nobody else can have meanwhile")
                .noneMatch(lock -> lock.getClassName().equals(EtcdMirror.class.getName()));
          }
          return seen[0] >= SEEN_MIN;
        });
    over = true;
    try {
      worker.join();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private void again(Callable<?> work, CompletableFuture<Void> failed) {
    try {
      while (!over) {
        work.call();
      }
    } catch (Exception | AssertionError wrong) {
      failed.completeExceptionally(wrong);
    }
  }

  private static boolean atWork(ThreadInfo at) {
    return Arrays.stream(at.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(HostQueue.class.getName()));
  }
}
