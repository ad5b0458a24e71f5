package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.history.KeyTransition;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.etcd.ChangeFeed.Heard;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Values that somebody or another version left in etcd and nobody here understands. */
@Tag("stack")
class UnreadableValuesTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final ListAppender<ILoggingEvent> said = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(KeyValueDecoder.class);

  UnreadableValuesTest() {
    said.start();
    logger.addAppender(said);
  }

  @AfterEach
  void close() {
    logger.detachAppender(said);
    etcdTestBed.close();
  }

  @Test
  void hostOfAnUnreadableLockIsTakenUntilTheKeyIsGone() {
    EtcdLocks locks = etcdTestBed.grantor();
    etcdTestBed.garble("locks/h9");
    locks.desk().submit(EtcdTestBed.ticket("there", Mode.WAIT, "h9"), LONG);
    EtcdTestBed.take(locks, "else", "h1");
    RequestStatus.Waiting there = (RequestStatus.Waiting) locks.desk().find("there").orElseThrow();
    assertThat(there.reason()).contains("locks/h9", "cannot be read", "delete the key");
    assertThat(locks.lockOn("h9").map(LockRecord::kind)).contains(Kind.QUARANTINE);
    assertThat(errors()).singleElement().asString().contains("locks/h9", "delete the key");

    etcdTestBed.remove("locks/h9");
    Await.until("it is served", () -> EtcdTestBed.has(locks, "there", "h9"));
  }

  @Test
  void peopleEndTheQuarantineOfAnUnreadableLock() {
    EtcdLocks locks = etcdTestBed.grantor();
    etcdTestBed.garble("locks/h9");

    assertThat(locks.endQuarantine(locks.lockOn("h9").orElseThrow(), "admin", "looked at"))
        .isTrue();

    EtcdTestBed.take(locks, "t1", "h9");
  }

  @Test
  void unreadableTicketIsNotServedAndStopsNobody() {
    etcdTestBed.garble("tickets/broken/0");
    etcdTestBed.garble("tickets/strange");
    etcdTestBed.garble("tickets/strange/one");
    etcdTestBed.garble("locks/%zz");
    EtcdLocks locks = etcdTestBed.grantor();
    etcdTestBed.garble("tickets/late/0");
    etcdTestBed.garble("verdicts/t1");
    etcdTestBed.garble("ended/h1");
    etcdTestBed.garble("alive/x");
    etcdTestBed.garble("term/x");
    etcdTestBed.garble("grants/g7");

    EtcdTestBed.take(locks, "t2", "h1");
    assertThat(locks.holds().table().tickets()).isEmpty();
    assertThat(locks.desk().all()).hasSize(1);
    locks.desk().leave("t2", "kernel-team", "done");
    assertThat(locks.lockOn("h1")).isEmpty();
  }

  @Test
  void clientWhoseSignOfLifeIsUnreadableCountsAsAlive() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, "t1", "h1");
    etcdTestBed.garble("alive/t1");
    locks.desk().submit(EtcdTestBed.ticket("t2", Mode.TRY, "h1"), LONG);

    Await.until(
        "the try is refused",
        () -> locks.desk().find("t2").orElseThrow() instanceof RequestStatus.Over);
    assertThat(EtcdTestBed.has(locks, "t1", "h1")).isTrue();
  }

  @Test
  void unreadableBrakeIsPulled() {
    EtcdLocks locks = etcdTestBed.grantor();
    etcdTestBed.garble("control/brake");
    locks.desk().submit(EtcdTestBed.ticket("t1", Mode.TRY, "h1"), LONG);
    Await.until(
        "the try is refused",
        () -> locks.desk().find("t1").orElseThrow() instanceof RequestStatus.Over);

    Brake unreadable = locks.brake().read().orElseThrow();
    assertThat(locks.brake().lift(unreadable, "admin", "looked at")).isEmpty();

    EtcdTestBed.take(locks, "t2", "h1");
  }

  @Test
  void mendedLockCountsAgain() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, "t1", "h1");
    LockRecord lock = locks.lockOn("h1").orElseThrow();
    etcdTestBed.garble("sessions/t1");
    Await.until("it cannot be read", () -> !errors().isEmpty());

    etcdTestBed
        .direct()
        .commit(
            Transaction.named("mend")
                .put(new Key.Session("t1"), new SessionLock.Held(List.of(lock)))
                .build());

    assertThat(locks.holds().table().locks()).containsEntry("h1", lock);
    assertThat(said.list).last().asString().contains("was mended");
  }

  /** It may be on any host. */
  @Test
  void nothingIsGrantedWhileASessionLockIsUnreadable() {
    EtcdLocks locks = etcdTestBed.grantor();
    etcdTestBed.garble("sessions/t9");
    Await.until("it cannot be read", () -> !errors().isEmpty());
    locks.desk().submit(EtcdTestBed.ticket("t1", Mode.WAIT, "h1"), LONG);
    Await.until("it is told why", () -> reason(locks, "t1").contains("sessions/t9"));
    assertThat(reason(locks, "t1")).contains("cannot be read", "delete the key");

    etcdTestBed.remove("sessions/t9");

    Await.until("it is served", () -> EtcdTestBed.has(locks, "t1", "h1"));
  }

  private static String reason(EtcdLocks locks, String id) {
    return locks.desk().find(id).orElseThrow() instanceof RequestStatus.Waiting waiting
        ? waiting.reason()
        : "";
  }

  @Test
  void historyGoesOnPastUnreadableValues() throws Exception {
    EtcdLocks locks = etcdTestBed.open();
    long before = locks.log().head();
    etcdTestBed.garble("locks/h9");
    etcdTestBed.garble("tickets/broken/0");
    etcdTestBed.remove("locks/h9");
    locks.desk().submit(EtcdTestBed.ticket("t1", Mode.WAIT, "h1"), LONG);

    try (ChangeFeed feed = locks.log().after(before)) {
      Heard.Changes taken = next(feed);
      assertThat(((LockRecord) after(taken)).kind()).isEqualTo(Kind.QUARANTINE);
      next(feed);
      assertThat(next(feed).changes().getFirst().after()).isEmpty();
      assertThat(next(feed).changes()).anyMatch(change -> change.key() instanceof Key.Ticket);
    }
  }

  private static Heard.Changes next(ChangeFeed feed) throws InterruptedException {
    for (Optional<Heard> heard = feed.next(LONG); ; heard = feed.next(LONG)) {
      assertThat(heard.orElseThrow()).isInstanceOf(Heard.Changes.class);
      Heard.Changes changes = (Heard.Changes) heard.orElseThrow();
      if (!changes.changes().isEmpty()) {
        return changes;
      }
    }
  }

  private static Object after(Heard.Changes changes) {
    KeyTransition<?> change = changes.changes().getFirst();
    return Objects.requireNonNull(change.after().orElseThrow().value());
  }

  private List<String> errors() {
    return List.copyOf(said.list).stream()
        .filter(event -> event.getLevel() == Level.ERROR)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }
}
