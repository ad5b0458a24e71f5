package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.platform.metrics.Metrics;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is checked of etcd before a server starts. */
@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
class EtcdStartCheckTest {
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
    assertThatThrownBy(() -> open(CLOSED)).isInstanceOf(UnknownOutcomeException.class);
  }

  private static EtcdLocks open(URI... endpoints) {
    EtcdConfig config =
        new EtcdConfig(
            List.of(endpoints),
            "/test-" + UUID.randomUUID() + "/",
            4096,
            EtcdTestBed.LEASE,
            Duration.ofSeconds(2),
            Duration.ofSeconds(5));
    return EtcdLocks.open(config, () -> 1, InstantSource.system(), new Metrics());
  }
}
