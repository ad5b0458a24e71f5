package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobStep;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.orchestrator.testkit.SimulatedConsumers;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * etcd is put back in the middle of a rollout, under a server that runs, to what it was some grants
 * ago: the hold of a batch that has ended is there again, those of batches under way are gone.
 */
@Tag("stack")
@Timeout(600)
class RestoreOverEtcdTest {
  private IsolatedInstallation isolatedInstallation = new IsolatedInstallation(false);

  @AfterEach
  void close() {
    isolatedInstallation.close();
  }

  @Test
  void isNoticedAndNobodyGetsAHostThatIsUnderWay() {
    String rollout = restored();
    isolatedInstallation.until("it is noticed", () -> events("RecoveryStarted").equals("1"));
    assertThat(isolatedInstallation.fleet().value("SELECT behind FROM recoveries"))
        .isEqualTo("etcd");
    isolatedInstallation.until(
        "the hosts were read back", () -> events("RecoveryEnded").equals("1"));
    assertThat(isolatedInstallation.locks().lockOn("a2").orElseThrow().id())
        .as("it is locked for its batch again")
        .isEqualTo(isolatedInstallation.host(rollout, "a2").getGrant());
    isolatedInstallation.world().letGo(JobStep.Health);
    assertThat(isolatedInstallation.ended(rollout).getUpgraded()).isEqualTo(3);
    for (String host : new String[] {"a1", "a2", "a3"}) {
      assertThat(isolatedInstallation.updates(host)).as(host).isEqualTo(1);
    }
    assertThat(isolatedInstallation.done("a2")).contains("Verify");
    isolatedInstallation.until(
        "who waited has its turn", () -> isolatedInstallation.locks().lockOn("a2").isPresent());
    isolatedInstallation.until(
        "the hold that was there again ends",
        () -> isolatedInstallation.locks().lockOn("a1").isEmpty());
    assertThat(isolatedInstallation.fleet().value("SELECT epoch FROM store_beats")).isEqualTo("2");
    assertThat(isolatedInstallation.locks().time().now().epoch()).isEqualTo(2);
  }

  /** The control: where nobody compares the stores nobody brings it back. */
  @Test
  @Tag("full")
  void losesAHostThatIsUnderWayWhereNobodyCompares() {
    isolatedInstallation.close();
    isolatedInstallation = new IsolatedInstallation(true);
    restored();
    isolatedInstallation.until(
        "it is given away, or found without its hold and left to people",
        () ->
            isolatedInstallation
                .locks()
                .lockOn("a2")
                .filter(lock -> lock.id().equals("t1") || lock.kind() == Kind.QUARANTINE)
                .isPresent());
    assertThat(isolatedInstallation.done("a2")).doesNotContain("Recover");
    assertThat(events("RecoveryStarted")).isEqualTo("0");
  }

  /** Three hosts, the first a canary, and somebody who wants the second; answers their rollout. */
  private String restored() {
    SimulatedConsumers simulatedConsumers = isolatedInstallation.start().holdBack(JobStep.Update);
    String rollout = isolatedInstallation.submit("a1", "a2", "a3");
    isolatedInstallation.until(
        "the canary is drained", () -> isolatedInstallation.done("a1").contains("Drain"));
    Path copy = isolatedInstallation.etcd.copy();
    simulatedConsumers.holdBack(JobStep.Health, host -> !host.equals("a1"));
    simulatedConsumers.letGo(JobStep.Update);
    isolatedInstallation.until(
        "one ended, two are under way",
        () ->
            isolatedInstallation.done("a1").contains("Recover")
                && isolatedInstallation.locks().lockOn("a1").isEmpty()
                && isolatedInstallation.updates("a2") == 1
                && isolatedInstallation.updates("a3") == 1);
    isolatedInstallation.etcd.putBack(copy);
    isolatedInstallation.queue("t1", "a2");
    return rollout;
  }

  private String events(String kind) {
    return isolatedInstallation
        .fleet()
        .value("SELECT count(*) FROM events WHERE kind = '" + kind + "'");
  }
}
