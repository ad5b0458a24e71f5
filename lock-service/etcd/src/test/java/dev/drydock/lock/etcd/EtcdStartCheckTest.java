package dev.drydock.lock.etcd;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.platform.metrics.Metrics;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is checked of etcd before a server starts. */
@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
class EtcdStartCheckTest {
  private static final Duration HURRIED = Duration.ofSeconds(3);
  private static final URI CLOSED = URI.create("http://127.0.0.1:1");

  @Test
  void everyMemberIsAskedAndTheOneThatTakesTooFewOperationsIsNamed() {
    try (TestEtcd small = TestEtcd.start("--max-txn-ops=1024")) {
      for (int start = 0; start < 6; start++) {
        assertThatThrownBy(() -> open(TestEtcd.shared().endpoint(), small.endpoint()))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("etcd member " + small.endpoint() + " takes fewer than 4096")
            .hasMessageContaining("--max-txn-ops 4096 or lower etcd.maxTxnOps");
      }
    }
  }

  @Test
  void memberThatIsDownKeepsNoServerFromStarting() {
    try (EtcdLocks locks = open(CLOSED, TestEtcd.shared().endpoint())) {
      assertThat(locks.holds().table().locks()).isEmpty();
    }
  }

  @Test
  void serverDoesNotStartWhenNoMemberAnswers() {
    assertThatThrownBy(() -> open(HURRIED, CLOSED)).isInstanceOf(UnknownOutcomeException.class);
  }

  /** Both may be starting on a busy machine. */
  @Test
  void etcdThatAnswersLateIsWaitedForLongerThanACall() throws Exception {
    try (TestEtcd slow = TestEtcd.start("--max-txn-ops=4096")) {
      signal("STOP", slow);
      CompletableFuture<EtcdLocks> opens =
          CompletableFuture.supplyAsync(
              () -> open(HURRIED, slow.endpoint()), Thread::startVirtualThread);
      assertThatThrownBy(() -> opens.get(HURRIED.multipliedBy(2).toMillis(), MILLISECONDS))
          .as("longer than a call is repeated")
          .isInstanceOf(TimeoutException.class);
      signal("CONT", slow);
      try (EtcdLocks locks = opens.get(30, SECONDS)) {
        assertThat(locks.holds().table().locks()).isEmpty();
      }
    }
  }

  private static void signal(String name, TestEtcd etcd) throws Exception {
    String[] command = {"kill", "-" + name, Long.toString(etcd.process().pid())};
    assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
  }

  private static EtcdLocks open(URI... endpoints) {
    return open(Duration.ofSeconds(5), endpoints);
  }

  private static EtcdLocks open(Duration budget, URI... endpoints) {
    EtcdConfig config =
        new EtcdConfig(
            List.of(endpoints),
            "/test-" + UUID.randomUUID() + "/",
            4096,
            EtcdTestBed.LEASE,
            Duration.ofSeconds(2),
            budget);
    return EtcdLocks.open(config, () -> 1, InstantSource.system(), new Metrics());
  }
}
