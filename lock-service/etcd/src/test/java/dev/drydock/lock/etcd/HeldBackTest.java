package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.Programs.LONG;
import static dev.drydock.lock.etcd.Programs.request;
import static dev.drydock.lock.etcd.Programs.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.etcd.LockClient.RefusedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that come behind others, over a real etcd; their moment ends when the test says so. */
@Tag("stack")
class HeldBackTest {
  private static final Duration LONGEST = Duration.ofMillis(10);

  private final Bench bench = new Bench();
  private final Names names = new Names();
  private final List<Runnable> alarms = new CopyOnWriteArrayList<>();
  private final List<Duration> times = new CopyOnWriteArrayList<>();
  private EtcdLocks others;
  private LockClient client;

  /** t1 has the host, and so many wait for it. */
  private void line(int waiting) {
    Bench.take(others, "t1", "h1");
    for (int i = 2; i < 2 + waiting; i++) {
      others.desk().submit(Bench.ticket("t" + i, Mode.WAIT, "h1"), LONG);
    }
    assertWaiting(waiting);
  }

  @BeforeEach
  void open() {
    others = bench.grantor();
    client =
        bench
            .open(names)
            .client(
                LONG,
                (time, task) -> {
                  times.add(time);
                  alarms.add(task);
                });
  }

  @AfterEach
  void close() {
    client.close();
    bench.close();
  }

  @Test
  void whoComesBehindOthersEntersAMomentLaterWithWhoCameMeanwhile() throws Exception {
    line(2);
    await(client, 2);
    CompletableFuture<HeldLock> first = heldBack();
    CompletableFuture<HeldLock> second = waiting(client, request("h1")).lock();
    Await.until("both are held back", () -> client.heldBack() == 2);
    assertThat(names.sent).doesNotContain("take ticket");
    assertThat(times).allMatch(time -> time.compareTo(LONGEST) <= 0);
    ring();

    assertWaiting(4);
    assertThat(names.sent.stream().filter("take ticket"::equals)).hasSize(1);
    for (String ticket : List.of("t1", "t2", "t3")) {
      Await.until(ticket + " is granted", () -> Bench.has(others, ticket, "h1"));
      others.desk().leave(ticket, "kernel-team", "done");
    }
    CompletableFuture.anyOf(first, second).get(20, TimeUnit.SECONDS);
    (first.isDone() ? first : second).join().release("done");
    (first.isDone() && !second.isDone() ? second : first).get(20, TimeUnit.SECONDS);
  }

  @Test
  void behindManyNobodyIsHeldBackForLonger() throws Exception {
    line(40);
    await(client, 40);
    heldBack();
    assertThat(times).containsExactly(LONGEST);
  }

  @Test
  void whoIsNextOrHasNoPatienceEntersAtOnce() throws Exception {
    line(1);
    await(client, 1);
    waiting(client, request("h1"));
    assertWaiting(2);
    for (Duration patience : List.of(Duration.ZERO, Duration.ofMillis(200))) {
      assertThatThrownBy(() -> client.acquire(request(patience, "h1")))
          .isInstanceOf(RefusedException.class);
    }
    assertThat(alarms).isEmpty();
  }

  @Test
  void whoGivesUpMeanwhileNeverEnters() throws Exception {
    line(2);
    await(client, 2);
    Programs.Waiting gone = waiting(client, request("h1"));
    Await.until("it is held back", () -> client.heldBack() == 1);
    gone.giveUp();
    ring();

    assertThat(names.sent).doesNotContain("take ticket");
  }

  @Test
  void whoseSessionEndsMeanwhileNeverEnters() throws Exception {
    line(2);
    await(client, 2);
    CompletableFuture<HeldLock> lock = heldBack();
    client.close();
    assertThat(lock)
        .failsWithin(LONG)
        .withThrowableThat()
        .withCauseInstanceOf(SessionLostException.class);
    ring();

    assertThat(names.sent).doesNotContain("take ticket");
  }

  private CompletableFuture<HeldLock> heldBack() {
    CompletableFuture<HeldLock> lock = waiting(client, request("h1")).lock();
    Await.until("it is held back", () -> client.heldBack() == 1);
    return lock;
  }

  private void ring() {
    alarms.forEach(Runnable::run);
  }

  private void assertWaiting(int waiting) {
    Await.until(waiting + " wait", () -> others.holds().table().tickets().size() == waiting);
  }

  private static void await(LockClient client, int waiters) {
    Await.until("it knows of " + waiters, () -> client.waiters() == waiters);
  }
}
