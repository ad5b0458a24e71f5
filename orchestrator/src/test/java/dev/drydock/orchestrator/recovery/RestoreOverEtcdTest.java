package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobStep;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.orchestrator.testkit.World;
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
  private Island island = new Island(false);

  @AfterEach
  void close() {
    island.close();
  }

  @Test
  void isNoticedAndNobodyGetsAHostThatIsUnderWay() {
    String rollout = restored();
    island.until("it is noticed", () -> events("RecoveryStarted").equals("1"));
    assertThat(island.fleet().value("SELECT behind FROM recoveries")).isEqualTo("etcd");
    island.until("the hosts were read back", () -> events("RecoveryEnded").equals("1"));
    assertThat(island.locks().lockOn("a2").orElseThrow().id())
        .as("it is locked for its batch again")
        .isEqualTo(island.host(rollout, "a2").getGrant());
    island.world().letGo(JobStep.Health);
    assertThat(island.ended(rollout).getUpgraded()).isEqualTo(3);
    for (String host : new String[] {"a1", "a2", "a3"}) {
      assertThat(island.updates(host)).as(host).isEqualTo(1);
    }
    assertThat(island.done("a2")).contains("Verify");
    island.until("who waited has its turn", () -> island.locks().lockOn("a2").isPresent());
    island.until("the hold that was there again ends", () -> island.locks().lockOn("a1").isEmpty());
    assertThat(island.fleet().value("SELECT epoch FROM store_beats")).isEqualTo("2");
    assertThat(island.locks().time().now().epoch()).isEqualTo(2);
  }

  /** The control: where nobody compares the stores nobody brings it back. */
  @Test
  @Tag("full")
  void losesAHostThatIsUnderWayWhereNobodyCompares() {
    island.close();
    island = new Island(true);
    restored();
    island.until(
        "it is given away, or found without its hold and left to people",
        () ->
            island
                .locks()
                .lockOn("a2")
                .filter(lock -> lock.id().equals("t1") || lock.kind() == Kind.QUARANTINE)
                .isPresent());
    assertThat(island.done("a2")).doesNotContain("Recover");
    assertThat(events("RecoveryStarted")).isEqualTo("0");
  }

  /** Three hosts, the first a canary, and somebody who wants the second; answers their rollout. */
  private String restored() {
    World world = island.start().holdBack(JobStep.Update);
    String rollout = island.submit("a1", "a2", "a3");
    island.until("the canary is drained", () -> island.done("a1").contains("Drain"));
    Path copy = island.etcd.copy();
    world.holdBack(JobStep.Health, host -> !host.equals("a1"));
    world.letGo(JobStep.Update);
    island.until(
        "one ended, two are under way",
        () ->
            island.done("a1").contains("Recover")
                && island.locks().lockOn("a1").isEmpty()
                && island.updates("a2") == 1
                && island.updates("a3") == 1);
    island.etcd.putBack(copy);
    island.queue("t1", "a2");
    return rollout;
  }

  private String events(String kind) {
    return island.fleet().value("SELECT count(*) FROM events WHERE kind = '" + kind + "'");
  }
}
