package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Change;
import dev.drydock.lock.core.txn.Key;
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
class MirrorTest {
  private final Bench bench = new Bench();
  private final EtcdConnection etcd = new EtcdConnection(bench.config(), TransactionHook.NONE);
  private final Mirror mirror = new Mirror(etcd);

  @AfterEach
  void close() {
    mirror.close();
    etcd.close();
    bench.close();
  }

  @Test
  void saysWhatEtcdHasAtTheMomentItIsAsked() {
    mirror.start();
    for (int i = 0; i < 50; i++) {
      String host = "h" + i;
      lock(host);
      assertThat(locked(host)).as(host).isTrue();
    }
  }

  @Test
  void reachesARevisionThatOthersMadeElsewhereInEtcd() {
    mirror.start();
    try (Bench elsewhere = new Bench()) {
      elsewhere.open();
      assertThat(mirror.<Long>askNow(Replica::revision)).isPositive();
    }
  }

  @Test
  void tellsFollowersEverythingInOrder() {
    List<Long> revisions = new CopyOnWriteArrayList<>();
    List<String> locked = new CopyOnWriteArrayList<>();
    AtomicInteger restarts = new AtomicInteger();
    mirror.start();
    mirror.follow(
        new Mirror.Follower() {
          @Override
          public void restarted(long revision, List<Change> everything) {
            restarts.incrementAndGet();
          }

          @Override
          public void changed(long revision, List<Change> changes) {
            if (!changes.isEmpty()) {
              revisions.add(revision);
            }
            changes.forEach(change -> locked.add(((Key.Lock) change.key()).host()));
          }
        });
    List<String> hosts = IntStream.range(0, 20).mapToObj(i -> "h" + i).toList();
    hosts.subList(0, 10).forEach(this::lock);
    mirror.askNow(Replica::revision);
    mirror.cutOff();
    hosts.subList(10, 20).forEach(this::lock);
    mirror.reconnect();

    mirror.askNow(Replica::revision);
    assertThat(locked).isEqualTo(hosts);
    assertThat(revisions).isSorted().doesNotHaveDuplicates();
    assertThat(restarts).as("begun with everything, only once").hasValue(1);
  }

  @Test
  void readsEverythingAnewWhenWhatItMissedIsCompacted() {
    mirror.start();
    lock("h1");
    mirror.askNow(Replica::revision);

    mirror.cutOff();
    lock("h2");
    etcd.commit(Transaction.named("end").delete(new Key.Lock("h1")).build());
    etcd.compact(etcd.revision());
    mirror.reconnect();

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
            bench.config().root(),
            4096,
            Bench.LEASE,
            Duration.ofSeconds(2),
            Duration.ofSeconds(10));
    try (EtcdConnection two = new EtcdConnection(twice, TransactionHook.NONE);
        Mirror other = new Mirror(two)) {
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
    mirror.start();
    lock("h1");
    mirror.askNow(Replica::revision);
    mirror.follow(counting(restarts, new ArrayList<>()));
    List<Change> begun = new ArrayList<>();

    mirror.follow(counting(new AtomicInteger(), begun));

    assertThat(begun).anyMatch(change -> change.key().equals(new Key.Lock("h1")));
    lock("h2");
    assertThat(locked("h2")).isTrue();
    assertThat(restarts).hasValue(1);
  }

  @Test
  void followerThatFailsHarmsNobody() {
    List<Change> told = new CopyOnWriteArrayList<>();
    mirror.start();
    mirror.follow(
        new Mirror.Follower() {
          @Override
          public void restarted(long revision, List<Change> everything) {
            throw new IllegalStateException("planted by the test");
          }

          @Override
          public void changed(long revision, List<Change> changes) {
            throw new StackOverflowError("planted by the test");
          }
        });
    mirror.follow(counting(new AtomicInteger(), told));

    lock("h1");

    assertThat(locked("h1")).isTrue();
    assertThat(told).anyMatch(change -> change.key().equals(new Key.Lock("h1")));
  }

  @Test
  void whoIsWokenByNewsCanAskAtOnce() {
    List<String> found = new CopyOnWriteArrayList<>();
    mirror.start();
    mirror.follow(
        new Mirror.Follower() {
          private String news = "";

          @Override
          public void restarted(long revision, List<Change> everything) {
            news = "restarted";
          }

          @Override
          public void changed(long revision, List<Change> changes) {
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

    mirror.cutOff();
    lock("h2");
    lock("h3");
    etcd.compact(etcd.revision());
    mirror.reconnect();
    Await.until("it is told of everything", () -> found.size() > 2);
    assertThat(found).containsExactly("restarted true", "changed true", "restarted true");
  }

  @Test
  void theGrantorIsWokenWhenItCanAsk() {
    List<Boolean> found = new CopyOnWriteArrayList<>();
    mirror.start();
    mirror.follow(new GrantorView(() -> found.add(askedByAnother())));
    lock("h1");
    Await.until("it is woken by a change", () -> found.size() > 1);
    assertThat(found).doesNotContain(false);
  }

  @Test
  void whoWaitsForAnAnswerIsWokenWhenItCanAsk() {
    List<Boolean> found = new CopyOnWriteArrayList<>();
    mirror.start();
    Key.Ticket ticket = new Key.Ticket("t1", 0);
    etcd.commit(
        Transaction.named("enter").put(ticket, Bench.ticket("t1", Ticket.Mode.TRY, "h1")).build());
    TicketAnswers answers = new TicketAnswers();
    mirror.follow(answers);
    try (TicketAnswers.Expected expected = answers.expect("t1")) {
      Thread waiting =
          Thread.ofVirtual()
              .start(
                  () -> {
                    expected.await(Bench.LONG);
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
      CompletableFuture.supplyAsync(() -> mirror.ask(Replica::revision)).get(10, TimeUnit.SECONDS);
      return true;
    } catch (InterruptedException | ExecutionException | TimeoutException none) {
      return false;
    }
  }

  @Test
  void restsWhileEtcdIsAwayAndSaysSoOnce() {
    ListAppender<ILoggingEvent> said = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(Mirror.class);
    TestEtcd away = TestEtcd.start("--max-txn-ops=4096");
    EtcdConnection there =
        new EtcdConnection(Bench.config(away.endpoint(), "/away/"), TransactionHook.NONE);
    try (there;
        Mirror cut = new Mirror(there)) {
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

  private static Mirror.Follower counting(AtomicInteger restarts, List<Change> told) {
    return new Mirror.Follower() {
      @Override
      public void restarted(long revision, List<Change> everything) {
        restarts.incrementAndGet();
        told.addAll(everything);
      }

      @Override
      public void changed(long revision, List<Change> changes) {
        told.addAll(changes);
      }
    };
  }

  private boolean locked(String host) {
    return mirror.askNow(replica -> replica.lockOn(host).isPresent());
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
