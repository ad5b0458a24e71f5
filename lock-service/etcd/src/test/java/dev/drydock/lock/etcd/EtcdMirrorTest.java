package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.KeyChange;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.etcd.testkit.TestEtcd;
import io.etcd.jetcd.Client;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@Tag("stack")
class EtcdMirrorTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final EtcdConnection etcd =
      new EtcdConnection(etcdTestBed.config(), TransactionHook.NONE);
  private final EtcdMirror etcdMirror = new EtcdMirror(etcd);

  @AfterEach
  void close() {
    etcdMirror.close();
    etcd.close();
    etcdTestBed.close();
  }

  @Test
  void saysWhatEtcdHasAtTheMomentItIsAsked() {
    etcdMirror.start();
    for (int i = 0; i < 50; i++) {
      String host = "h" + i;
      lock(host);
      assertThat(locked(host)).as(host).isTrue();
    }
  }

  @Test
  void reachesARevisionThatOthersMadeElsewhereInEtcd() {
    etcdMirror.start();
    try (EtcdTestBed elsewhere = new EtcdTestBed()) {
      elsewhere.open();
      assertThat(etcdMirror.<Long>askNow(Replica::revision)).isPositive();
    }
  }

  @Test
  void tellsFollowersEverythingInOrder() {
    List<Long> revisions = new CopyOnWriteArrayList<>();
    List<String> locked = new CopyOnWriteArrayList<>();
    AtomicInteger restarts = new AtomicInteger();
    etcdMirror.start();
    etcdMirror.follow(
        new EtcdMirror.Follower() {
          @Override
          public void restarted(long revision, List<KeyChange> everything) {
            restarts.incrementAndGet();
          }

          @Override
          public void changed(long revision, List<KeyChange> changes) {
            if (!changes.isEmpty()) {
              revisions.add(revision);
            }
            changes.forEach(change -> locked.add(((Key.Lock) change.key()).host()));
          }
        });
    List<String> hosts = IntStream.range(0, 20).mapToObj(i -> "h" + i).toList();
    hosts.subList(0, 10).forEach(this::lock);
    etcdMirror.askNow(Replica::revision);
    etcdMirror.cutOff();
    hosts.subList(10, 20).forEach(this::lock);
    etcdMirror.reconnect();

    etcdMirror.askNow(Replica::revision);
    assertThat(locked).isEqualTo(hosts);
    assertThat(revisions).isSorted().doesNotHaveDuplicates();
    assertThat(restarts).as("begun with everything, only once").hasValue(1);
  }

  @Test
  void readsEverythingAnewWhenWhatItMissedIsCompacted() {
    etcdMirror.start();
    lock("h1");
    etcdMirror.askNow(Replica::revision);

    etcdMirror.cutOff();
    lock("h2");
    etcd.commit(Transaction.named("end").delete(new Key.Lock("h1")).build());
    etcd.compact(etcd.revision());
    etcdMirror.reconnect();

    assertThat(locked("h2")).isTrue();
    assertThat(locked("h1")).isFalse();
  }

  /** It answered; another one has forgotten as much. */
  @Test
  void memberThatSaysWhatIsCompactedIsNotLeftForIt() throws InterruptedException {
    URI endpoint = TestEtcd.shared().endpoint();
    EtcdConfig twice =
        new EtcdConfig(
            List.of(endpoint, endpoint),
            etcdTestBed.config().root(),
            4096,
            EtcdTestBed.LEASE,
            Duration.ofSeconds(2),
            Duration.ofSeconds(10));
    try (EtcdConnection two = new EtcdConnection(twice, TransactionHook.NONE);
        EtcdMirror other = new EtcdMirror(two)) {
      Client asked = two.member();
      other.start();
      lock("h1");
      other.askNow(Replica::revision);
      other.cutOff();
      lock("h2");
      lock("h3");
      long now = two.revision();
      two.compact(now);
      other.reconnect();
      assertThat(other.<Boolean>askNow(replica -> replica.lockOn("h2").isPresent())).isTrue();
      assertThat(two.member()).as("by the mirror").isSameAs(asked);

      try (ChangeFeed feed = new ChangeFeed(two, 1)) {
        assertThat(feed.next(Duration.ofSeconds(20)))
            .hasValueSatisfying(
                said -> assertThat(said).isEqualTo(new ChangeFeed.Heard.Forgotten(now - 1)));
      }
      assertThat(two.member()).as("by the reader of the log").isSameAs(asked);
    }
  }

  @Test
  void whoBeginsToFollowDisturbsNobody() {
    AtomicInteger restarts = new AtomicInteger();
    etcdMirror.start();
    lock("h1");
    etcdMirror.askNow(Replica::revision);
    etcdMirror.follow(counting(restarts, new ArrayList<>()));
    List<KeyChange> begun = new ArrayList<>();

    etcdMirror.follow(counting(new AtomicInteger(), begun));

    assertThat(begun).anyMatch(change -> change.key().equals(new Key.Lock("h1")));
    lock("h2");
    assertThat(locked("h2")).isTrue();
    assertThat(restarts).hasValue(1);
  }

  @Test
  void followerThatFailsHarmsNobody() {
    List<KeyChange> told = new CopyOnWriteArrayList<>();
    etcdMirror.start();
    etcdMirror.follow(
        new EtcdMirror.Follower() {
          @Override
          public void restarted(long revision, List<KeyChange> everything) {
            throw new IllegalStateException("planted by the test");
          }

          @Override
          public void changed(long revision, List<KeyChange> changes) {
            throw new StackOverflowError("planted by the test");
          }
        });
    etcdMirror.follow(counting(new AtomicInteger(), told));

    lock("h1");

    assertThat(locked("h1")).isTrue();
    assertThat(told).anyMatch(change -> change.key().equals(new Key.Lock("h1")));
  }

  @Test
  void whoIsWokenByNewsCanAskAtOnce() {
    List<String> found = new CopyOnWriteArrayList<>();
    etcdMirror.start();
    etcdMirror.follow(
        new EtcdMirror.Follower() {
          private String news = "";

          @Override
          public void restarted(long revision, List<KeyChange> everything) {
            news = "restarted";
          }

          @Override
          public void changed(long revision, List<KeyChange> changes) {
            news = changes.isEmpty() ? news : "changed";
          }

          @Override
          public void afterwards() {
            String told = news;
            news = "";
            if (!told.isEmpty()) {
              found.add(told + " " + askedByAnother());
            }
          }
        });
    assertThat(found).containsExactly("restarted true");

    lock("h1");
    Await.until("it is told of a change", () -> found.size() > 1);

    etcdMirror.cutOff();
    lock("h2");
    lock("h3");
    etcd.compact(etcd.revision());
    etcdMirror.reconnect();
    Await.until("it is told of everything", () -> found.size() > 2);
    assertThat(found).containsExactly("restarted true", "changed true", "restarted true");
  }

  @Test
  void theGrantorIsWokenWhenItCanAsk() {
    List<Boolean> found = new CopyOnWriteArrayList<>();
    etcdMirror.start();
    etcdMirror.follow(new GrantorView(() -> found.add(askedByAnother())));
    lock("h1");
    Await.until("it is woken by a change", () -> found.size() > 1);
    assertThat(found).doesNotContain(false);
  }

  @Test
  void whoWaitsForAnAnswerIsWokenWhenItCanAsk() {
    List<Boolean> found = new CopyOnWriteArrayList<>();
    etcdMirror.start();
    Key.Ticket ticket = new Key.Ticket("t1", 0);
    etcd.commit(
        Transaction.named("enter")
            .put(ticket, EtcdTestBed.ticket("t1", Ticket.Mode.TRY, "h1"))
            .build());
    TicketAnswers answers = new TicketAnswers();
    etcdMirror.follow(answers);
    try (TicketAnswers.Expected expected = answers.expect("t1")) {
      Thread waiting =
          Thread.ofVirtual()
              .start(
                  () -> {
                    expected.await(EtcdTestBed.LONG);
                    found.add(askedByAnother());
                  });
      etcd.commit(Transaction.named("leave").delete(ticket).build());
      Await.until("it is answered", () -> !waiting.isAlive());
      assertThat(found).containsExactly(true);
    }
  }

  /** Whether somebody else gets an answer meanwhile. */
  private boolean askedByAnother() {
    try {
      CompletableFuture.supplyAsync(() -> etcdMirror.ask(Replica::revision))
          .get(10, TimeUnit.SECONDS);
      return true;
    } catch (InterruptedException | ExecutionException | TimeoutException none) {
      return false;
    }
  }

  @Test
  void restsWhileEtcdIsAwayAndSaysSoOnce() {
    ListAppender<ILoggingEvent> said = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(EtcdMirror.class);
    TestEtcd away = TestEtcd.start("--max-txn-ops=4096");
    EtcdConnection there =
        new EtcdConnection(EtcdTestBed.config(away.endpoint(), "/away/"), TransactionHook.NONE);
    try (there;
        EtcdMirror cut = new EtcdMirror(there)) {
      cut.start();
      cut.askNow(Replica::revision);
      said.start();
      logger.addAppender(said);
      away.close();
      assertThatThrownBy(() -> cut.await(Long.MAX_VALUE, Duration.ofSeconds(4)))
          .isInstanceOf(UnknownOutcomeException.class);
    } finally {
      logger.detachAppender(said);
    }
    assertThat(said.list.stream().filter(line -> line.getFormattedMessage().contains("/away/")))
        .hasSize(1);
  }

  private static EtcdMirror.Follower counting(AtomicInteger restarts, List<KeyChange> told) {
    return new EtcdMirror.Follower() {
      @Override
      public void restarted(long revision, List<KeyChange> everything) {
        restarts.incrementAndGet();
        told.addAll(everything);
      }

      @Override
      public void changed(long revision, List<KeyChange> changes) {
        told.addAll(changes);
      }
    };
  }

  private boolean locked(String host) {
    return etcdMirror.askNow(replica -> replica.lockOn(host).isPresent());
  }

  private void lock(String host) {
    etcd.commit(
        Transaction.named("lock")
            .put(
                new Key.Lock(host),
                new LockRecord(
                    "t-" + host,
                    LockRecord.Kind.SESSION,
                    LockRecord.Stage.OPEN,
                    host,
                    List.of(host),
                    List.of(),
                    "kernel-team",
                    "firmware",
                    Optional.empty(),
                    0,
                    0,
                    0))
            .build());
  }
}
