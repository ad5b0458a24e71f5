package dev.drydock.lock.api.history;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.LockHistoryEntry;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.etcd.EtcdConfig;
import dev.drydock.lock.etcd.EtcdLocks;
import dev.drydock.lock.etcd.RequestStatus;
import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.testkit.TestDatabase;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What real locks in a real etcd leave in a real PostgreSQL. */
@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
final class LockHistoryTest {
  private static final HistoryTailer.Kept EVERYTHING =
      new HistoryTailer.Kept(1_000_000, 1_000_000, Duration.ofHours(1));

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final TestDatabase database = opened(TestDatabase.create());
  private final AtomicLong marks = new AtomicLong();
  private final String root = "/test-" + UUID.randomUUID() + "/";
  private final TestEtcd etcd = opened(TestEtcd.start("--max-txn-ops=4096"));
  private final EtcdLocks locks = opened(open());
  private final LockHistory history = new LockHistory(locks.log(), database.jdbi());
  private final HistoryRows rows = new HistoryRows(database.jdbi());

  private <T extends AutoCloseable> T opened(T one) {
    opened.add(one);
    return one;
  }

  private EtcdLocks open() {
    EtcdConfig config =
        new EtcdConfig(
            List.of(etcd.endpoint()),
            root,
            4096,
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            Duration.ofSeconds(10));
    return EtcdLocks.open(config, marks::incrementAndGet, InstantSource.system(), new Metrics());
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : opened.reversed()) {
      one.close();
    }
  }

  @Test
  void tellsTheWayOfEachTicketAndLock() {
    opened(history.start(() -> true, EVERYTHING));
    locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
    take("t-first", Mode.WAIT, "h1", "h2");
    until("held", () -> locks.desk().find("t-first").orElseThrow() instanceof RequestStatus.Held);
    take("t-refused", Mode.TRY, "h2");
    until(
        "refused",
        () -> locks.desk().find("t-refused").orElseThrow() instanceof RequestStatus.Over);
    take("t-second", Mode.WAIT, "h2");
    locks.desk().leave("t-first", "kernel", "done with it");
    until(
        "handed over",
        () -> locks.desk().find("t-second").orElseThrow() instanceof RequestStatus.Held);
    until("written", () -> changes("h2").size() >= 7);
    assertThat(changes("h2"))
        .containsExactly(
            "Queued t-first",
            "Granted t-first",
            "Queued t-refused",
            "Left t-refused",
            "Queued t-second",
            "Ended t-first",
            "Granted t-second");
    assertThat(of("t-first").getLast())
        .satisfies(
            ended -> {
              assertThat(ended.getBy()).isEqualTo("kernel");
              assertThat(ended.getReason()).isEqualTo("done with it");
              assertThat(ended.getHosts()).containsExactlyInAnyOrder("h1", "h2");
            });
  }

  @Test
  void tellsALockWhoseHolderFellSilent() {
    opened(history.start(() -> true, EVERYTHING));
    locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
    take("t-silent", Mode.WAIT, "h1");
    until("lapsed and gone", () -> changes("h1").contains("Ended t-silent"));
    assertThat(changes("h1"))
        .containsExactly(
            "Queued t-silent", "Granted t-silent", "Lapsed t-silent", "Ended t-silent");
    assertThat(of("t-silent")).extracting(LockHistoryEntry::getHolder).containsOnly("kernel");
    assertThat(history.lapsedAt("t-silent").map(Instant::toEpochMilli))
        .contains(of("t-silent").get(2).getAt());
    assertThat(history.lapsedAt("t-other")).isEmpty();
    assertThat(of("t\0silent")).as("no text of PostgreSQL").isEmpty();
    assertThat(changes("h\0")).isEmpty();
  }

  @Test
  void twoWhoWriteAtOnceWriteEachChangeOnce() {
    for (int writer = 0; writer < 3; writer++) {
      opened(history.start(() -> true, EVERYTHING));
    }
    locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      String id = "t-" + i;
      take(id, Mode.WAIT, "h1");
      until("held", () -> locks.desk().find(id).orElseThrow() instanceof RequestStatus.Held);
      locks.desk().leave(id, "kernel", "done");
      expected.addAll(List.of("Queued " + id, "Granted " + id, "Ended " + id));
    }
    until("written", () -> changes("h1").size() >= expected.size());
    assertThat(changes("h1")).isEqualTo(expected);
  }

  @Test
  void goesOnWhereTheLastOneStopped() throws Exception {
    locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
    try (AutoCloseable first = history.start(() -> true, EVERYTHING)) {
      take("t-before", Mode.WAIT, "h1");
      until("written", () -> changes("h1").contains("Granted t-before"));
    }
    locks.desk().leave("t-before", "kernel", "done");
    take("t-meanwhile", Mode.WAIT, "h1");
    opened(history.start(() -> true, EVERYTHING));
    until("written", () -> changes("h1").contains("Granted t-meanwhile"));
    assertThat(changes("h1"))
        .containsExactly(
            "Queued t-before",
            "Granted t-before",
            "Ended t-before",
            "Queued t-meanwhile",
            "Granted t-meanwhile");
  }

  /** PostgreSQL takes no NUL, in no text and in no JSON. */
  @Test
  void goesOnPastValuesThatNobodyCanReadOrKeep() {
    opened(history.start(() -> true, EVERYTHING));
    locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
    put("locks/h9", "\0\1 no lock");
    put("ended/h8", "\0");
    put("ended/h7", "{\"lockId\":\"t\\u0000-7\",\"mark\":1,\"by\":\"x\",\"reason\":\"\\u0000\"}");
    pass("t-after");
    until("written", () -> changes("h1").contains("Ended t-after"));

    LockHistoryEntry unreadable =
        rows.ofHost("h9", new PageRequest(0, 9), FieldMask.all()).elements().getFirst();
    assertThat(unreadable.getChange()).isEqualTo("Quarantined");
    assertThat(unreadable.getReason())
        .contains("locks/h9", "\\u0000\\u0001 no lock", "delete the key");
    assertThat(changes("h8")).containsExactly("Lapsed unreadable");
    assertThat(changes("h7")).containsExactly("Lapsed t\uFFFD-7");
  }

  private void put(String key, String value) {
    try (Client raw = Client.builder().endpoints(List.of(etcd.endpoint())).build()) {
      raw.getKVClient()
          .put(ByteSequence.from(root + key, UTF_8), ByteSequence.from(value, UTF_8))
          .join();
    }
  }

  @Test
  void etcdForgetsWhatIsWrittenAndNothingElse() throws Exception {
    locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
    HistoryTailer.Kept little = new HistoryTailer.Kept(5, 1_000_000, Duration.ofMillis(50));
    try (AutoCloseable first = history.start(() -> true, little)) {
      for (int i = 0; i < 20; i++) {
        pass("t-" + i);
      }
      long seen = locks.log().head();
      until("written", () -> rows.bookmark(locks.log().epoch().number(), 0) >= seen);
      until("etcd forgot", () -> forgotten(seen - 30));
    }
    for (int i = 20; i < 40; i++) {
      pass("t-" + i);
    }
    opened(history.start(() -> true, little));
    until("written", () -> changes("h1").contains("Ended t-39"));
    assertThat(changes("h1")).hasSize(3 * 40).noneMatch(change -> change.startsWith("Gap"));
  }

  @Test
  void whatEtcdForgotUnwrittenIsRecordedAsAGap() {
    locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
    pass("t-lost");
    long lost = locks.log().head();
    locks.log().compact(lost);
    opened(history.start(() -> true, EVERYTHING));
    pass("t-kept");
    until("written", () -> changes("h1").contains("Ended t-kept"));
    List<LockHistoryEntry> all = all();
    assertThat(all.getFirst().getChange()).isEqualTo("Gap");
    assertThat(all.getFirst().getReason()).contains("revisions 1 to " + (lost - 1));
    assertThat(changes("h1")).doesNotContain("Granted t-lost").contains("Granted t-kept");
  }

  @Test
  void theLogOfEtcdStaysBoundedWhileNobodyCanWrite() {
    locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
    database.jdbi().useHandle(handle -> handle.execute("DROP TABLE lock_history_bookmark"));
    opened(history.start(() -> true, new HistoryTailer.Kept(5, 20, Duration.ofMillis(50))));
    for (int i = 0; i < 20; i++) {
      pass("t-" + i);
    }
    long head = locks.log().head();
    until("etcd forgot", () -> forgotten(head - 21));
  }

  /**
   * Whoever writes follows the log of the etcd that was put back, from where the last one was. The
   * next epoch begins at a revision that was come past before, so that the log does not tell.
   */
  @Test
  void whatHappensInAnEtcdThatWasPutBackIsWrittenBehindAGap() throws Exception {
    locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
    Path copy;
    try (AutoCloseable before = history.start(() -> true, EVERYTHING)) {
      pass("t-kept");
      copy = etcd.copy();
      for (int i = 0; i < 40; i++) {
        pass("t-gone-" + i);
      }
      until("written", () -> changes("h1").contains("Ended t-gone-39"));
    }
    etcd.putBack(copy);
    assertThat(locks.time().now().epoch()).isEqualTo(1);
    AtomicLong asked = new AtomicLong();
    opened(history.start(() -> asked.incrementAndGet() > 0, EVERYTHING));
    until("the log is followed", () -> asked.get() >= 3);
    locks.time().begin(2, 1);
    pass("t-after");
    until("written", () -> changes("h1").contains("Ended t-after"));
    assertThat(epochs("h1", "t-after")).containsOnly(2L);
    assertThat(epochs("h1", "t-gone-39")).containsOnly(1L);
    List<String> all = all().stream().map(LockHistoryEntry::getChange).toList();
    assertThat(all.subList(all.size() - 4, all.size()))
        .containsExactly("Gap", "Queued", "Granted", "Ended");
  }

  /** The other store was restored, and etcd's log goes on: all of it is written. */
  @Test
  void anEpochThatBeginsInAWholeLogHidesNothing() {
    opened(history.start(() -> true, EVERYTHING));
    locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
    pass("t-before");
    locks.time().begin(2, 1);
    pass("t-after");
    until("written", () -> changes("h1").contains("Ended t-after"));
    assertThat(changes("h1")).hasSize(2 * 3);
    assertThat(epochs("h1", "t-before")).containsOnly(1L);
    assertThat(epochs("h1", "t-after")).containsOnly(2L);
    assertThat(all()).filteredOn(entry -> entry.getChange().equals("Gap")).hasSize(1);
  }

  private List<Long> epochs(String host, String lock) {
    return database
        .jdbi()
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT epoch FROM lock_history WHERE lock_id = ? AND ? = ANY(hosts)")
                    .bind(0, lock)
                    .bind(1, host)
                    .mapTo(Long.class)
                    .list());
  }

  private boolean forgotten(long revision) {
    try (var feed = locks.log().after(revision - 1)) {
      return feed.next(Duration.ofSeconds(2))
          .filter(dev.drydock.lock.etcd.ChangeFeed.Heard.Forgotten.class::isInstance)
          .isPresent();
    } catch (InterruptedException stop) {
      throw new IllegalStateException(stop);
    }
  }

  private void pass(String id) {
    take(id, Mode.WAIT, "h1");
    until("held", () -> locks.desk().find(id).orElseThrow() instanceof RequestStatus.Held);
    locks.desk().leave(id, "kernel", "done");
  }

  private void take(String id, Mode mode, String... hosts) {
    locks
        .desk()
        .submit(
            new Ticket(
                id,
                mode,
                List.of(hosts),
                List.of(),
                "kernel",
                "a new kernel",
                Instant.now().plusSeconds(60),
                60,
                2),
            Duration.ofSeconds(60));
  }

  private List<String> changes(String host) {
    return rows
        .ofHost(host, new PageRequest(0, 1000), FieldMask.all())
        .elements()
        .reversed()
        .stream()
        .map(entry -> entry.getChange() + " " + entry.getLock())
        .toList();
  }

  private List<LockHistoryEntry> of(String lock) {
    return rows.ofLock(lock, new PageRequest(0, 1000), FieldMask.all()).elements().reversed();
  }

  private List<LockHistoryEntry> all() {
    return rows.all(new PageRequest(0, 1000), FieldMask.all()).elements().reversed();
  }

  private static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(20_000_000);
    }
  }
}
