package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.GenerationCause;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.platform.metrics.Metrics;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.maintenance.AlarmMember;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An etcd whose quota is used up: what it refuses has no effect, has a name, and a way out. */
@Tag("stack")
@Timeout(120)
class FullEtcdTest {
  private static final Transaction WRITE =
      ControlTransactions.bumpGeneration(new GenerationCause("test", "test", "test"));

  private final TestEtcd etcd =
      TestEtcd.start("--max-txn-ops=4096", "--quota-backend-bytes=" + (4 << 20));
  private final Metrics metrics = new Metrics();
  private final EtcdConfig config =
      new EtcdConfig(
          List.of(etcd.endpoint()),
          "/full/",
          4096,
          EtcdTestBed.LEASE,
          Duration.ofSeconds(5),
          Duration.ofSeconds(60));

  @AfterEach
  void close() {
    etcd.close();
  }

  @Test
  void aWriteThatHasNoRoomIsRefusedAtOnceAndGoesThroughOnceThereIsSome() throws Exception {
    try (EtcdConnection connection = new EtcdConnection(config, TransactionHook.NONE);
        Client client = Client.builder().endpoints(etcd.endpoint()).build()) {
      connection.tell(full -> metrics.etcdFull.set(full ? 1 : 0));
      connection.commit(WRITE);
      assertThat(metrics.etcdFull.get()).isZero();
      fill(client);
      long before = System.nanoTime();
      assertThatThrownBy(() -> connection.repeat(() -> connection.commit(WRITE)))
          .isInstanceOf(EtcdFullException.class)
          .hasMessageContaining("etcd is full (NOSPACE)")
          .hasMessageContaining("docs/etcd-full.md");
      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .as("it is not sent over and over until the budget is used up")
          .isLessThan(config.budget());
      assertThat(metrics.etcdFull.get()).isEqualTo(1);
      assertThat(connection.revision()).as("it is read as ever").isPositive();

      makeRoom(client);
      connection.commit(WRITE);
      assertThat(metrics.etcdFull.get()).isZero();
    }
  }

  /** Until etcd itself raises the alarm. */
  private static void fill(Client client) throws Exception {
    ByteSequence large = ByteSequence.from(new byte[512 << 10]);
    for (int i = 0; i < 64; i++) {
      try {
        client.getKVClient().put(key(i), large).get(10, TimeUnit.SECONDS);
      } catch (java.util.concurrent.ExecutionException full) {
        return;
      }
    }
    throw new AssertionError("etcd does not get full");
  }

  private static ByteSequence key(int i) {
    return ByteSequence.from("filler-" + i, StandardCharsets.UTF_8);
  }

  /** What the page on it says: compact, defragment, disarm. */
  private void makeRoom(Client client) throws Exception {
    for (int i = 0; i < 64; i++) {
      client.getKVClient().delete(key(i)).get(10, TimeUnit.SECONDS);
    }
    long revision =
        client.getKVClient().get(key(0)).get(10, TimeUnit.SECONDS).getHeader().getRevision();
    client.getKVClient().compact(revision).get(10, TimeUnit.SECONDS);
    client
        .getMaintenanceClient()
        .defragmentMember(etcd.endpoint().toString())
        .get(30, TimeUnit.SECONDS);
    for (AlarmMember alarm :
        client.getMaintenanceClient().listAlarms().get(10, TimeUnit.SECONDS).getAlarms()) {
      client.getMaintenanceClient().alarmDisarm(alarm).get(10, TimeUnit.SECONDS);
    }
  }

  /** The control: a server over an etcd that has room. */
  @Test
  void anEtcdWithRoomIsNotFull() {
    try (EtcdLocks locks = EtcdLocks.open(config, () -> 1, InstantSource.system(), metrics)) {
      assertThat(locks.holds().table().locks()).isEmpty();
      assertThat(metrics.etcdFull.get()).isZero();
    }
  }
}
