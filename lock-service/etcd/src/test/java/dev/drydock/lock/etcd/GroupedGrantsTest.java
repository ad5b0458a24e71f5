package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.GenerationCause;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several grants in one transaction: each stands or falls by itself. */
@Tag("stack")
class GroupedGrantsTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final Interference interference = new Interference();

  @AfterEach
  void close() {
    interference.resume.countDown();
    etcdTestBed.close();
  }

  @Test
  void lostTicketFailsAloneInItsGroup() throws Exception {
    EtcdLocks grantor = etcdTestBed.open(interference.pausingAt("grant"));
    EtcdLocks clients = etcdTestBed.open();
    for (int i = 1; i <= 4; i++) {
      clients
          .desk()
          .submit(EtcdTestBed.ticket("t" + i, Mode.WAIT, "h" + i), Duration.ofSeconds(60));
    }
    grantor.startGrantor(Admission.exclusiveOnly(), etcdTestBed.candidates);
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();

    // What it grants now was decided before: nothing new is heard of.
    grantor.mirror().cutOff();
    clients.desk().leave("t2", "kernel-team", "changed my mind");
    interference.resume.countDown();

    Await.until("the others are granted", () -> clients.holds().table().locks().size() == 3);
    assertThat(clients.holds().table().locks()).containsOnlyKeys("h1", "h3", "h4");
    assertThat(
            clients.holds().table().locks().values().stream().map(lock -> lock.token()).distinct())
        .as("one revision granted them all")
        .hasSize(1);
    grantor.mirror().reconnect();
  }

  /** The mirror is behind: deciding again at once would be deciding the same. */
  @Test
  void whatTheFenceRefusedIsDecidedAgainWhenTheMirrorKnowsWhy() throws Exception {
    AtomicInteger grants = new AtomicInteger();
    EtcdLocks grantor =
        etcdTestBed.grantor(
            new TransactionHook() {
              @Override
              public void before(String transaction) {
                if (transaction.equals("grant")) {
                  grants.incrementAndGet();
                }
                interference.before(transaction);
              }
            },
            Admission.exclusiveOnly());
    interference.pausingAt("grant");
    grantor.desk().submit(EtcdTestBed.ticket("t1", Mode.WAIT, "h1"), Duration.ofSeconds(60));
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    grantor.mirror().cutOff();
    etcdTestBed
        .direct()
        .commit(ControlTransactions.bumpGeneration(new GenerationCause("policy", "ann", "new")));

    long resumed = System.nanoTime();
    interference.resume.countDown();
    Await.until(
        "half a second went by",
        () -> System.nanoTime() - resumed > Duration.ofMillis(500).toNanos());
    assertThat(grants.get()).as("sent").isEqualTo(1);
    grantor.mirror().reconnect();

    Await.until("granted", () -> grantor.lockOn("h1").isPresent());
    assertThat(grants.get()).as("sent").isEqualTo(2);
  }
}
