package dev.drydock.orchestrator.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.store.StaleRunException;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.OutcomeRows;
import dev.drydock.platform.config.ServerConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A batch is driven over rows and over etcd. The lock of a host becomes a quarantine first, then
 * its row says so, whatever became of its hold.
 */
@Tag("stack")
class BatchDriverTest {
  private final HookBench bench = new HookBench();
  private final OutcomeRows rows = new OutcomeRows(bench.fleet);

  @AfterEach
  void stop() {
    bench.close();
  }

  /** A host that can go neither on nor back. */
  private BatchRun broken(String host) {
    BatchRun run = bench.begin(host);
    bench.reach(run, JobStep.Update);
    bench.end(bench.only(run), JobOutcome.Unknown);
    bench.drive(run);
    bench.diagnosed(run);
    return run;
  }

  @Test
  void aQuarantineIsInEtcdBeforeARowSaysSo() {
    BatchRun run = broken("first");
    List<String> seen = new ArrayList<>();
    over(() -> seen.add(rows.hosts())).drive(run);
    assertThat(seen).containsExactly("first InProgress");
    assertThat(rows.hosts()).isEqualTo("first Quarantined");
    assertThat(locks("first")).isEqualTo(LockRecord.Kind.QUARANTINE);
  }

  /** The control of the one before, and what a driver does that comes after it. */
  @Test
  void aHostThatEtcdDoesNotLockStaysInItsBatch() {
    BatchRun run = broken("locked");
    BatchDriver without =
        over(
            () -> {
              throw new IllegalStateException("etcd does not answer");
            });
    assertThatThrownBy(() -> without.drive(run)).hasMessageContaining("etcd does not answer");
    assertThat(rows.hosts()).isEqualTo("locked InProgress");
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(rows.hosts()).isEqualTo("locked Quarantined");
  }

  @Test
  void recordsAHostWhoseHoldPeopleEnded() {
    BatchRun run = broken("free");
    bench.fleet.holds.end(bench.fleet.holds.endOf(run.grant(), "free"));
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(bench.drive(run).ended()).as("once more").isTrue();
    assertThat(rows.host("free"))
        .startsWith("Quarantined: ")
        .endsWith("; its hold was already ended by people");
    assertThat(bench.fleet.holds.table().locks()).doesNotContainKey("free");
    assertThat(rows.told("HostQuarantined")).isEqualTo(1);
  }

  @Test
  void keepsTheHoldOfAHostThatHasOne() {
    BatchRun run = broken("kept");
    assertThat(bench.drive(run).ended()).isTrue();
    bench.fleet.driver.endHold(run.grant());
    assertThat(rows.host("kept"))
        .isEqualTo("Quarantined: Update: said Unknown; diagnosis: unknown");
    assertThat(locks("kept")).isEqualTo(LockRecord.Kind.QUARANTINE);
  }

  @Test
  void aRunThatWasFollowedMovesNothing() {
    BatchRun run = bench.begin("stale");
    BatchRun later = bench.fleet.driver.begin(run.grant(), "another");
    assertThatThrownBy(() -> bench.drive(run)).isInstanceOf(StaleRunException.class);
    assertThat(bench.offered(run)).isEmpty();
    bench.finish(later);
    assertThat(rows.hosts()).isEqualTo("stale Upgraded");
  }

  /** The same key is the same run: the answer of the first call may have been lost. */
  @Test
  void aRunKeepsItsNumberHoweverOftenItBegins() {
    BatchRun run = bench.begin("number");
    BatchRun later = bench.fleet.driver.begin(run.grant(), "another");
    assertThat(later.run()).isEqualTo(run.run() + 1);
    assertThat(bench.fleet.driver.begin(run.grant(), "another")).isEqualTo(later);
  }

  private LockRecord.Kind locks(String host) {
    LockRecord lock = bench.fleet.holds.table().locks().get(host);
    if (lock == null) {
      throw new AssertionError("nobody has " + host);
    }
    return lock.kind();
  }

  /** A driver whose etcd does something before each quarantine. */
  private BatchDriver over(Runnable before) {
    ServerConfig.Remediation said = ServerConfig.Remediation.DEFAULT;
    SnapshotReader reader =
        new SnapshotReader(new RepairLimits(said.atOnce(), said.alike(), said.coolDown()));
    BatchMover mover = new BatchMover(bench.fleet.policies, reader, bench.fleet.zones);
    return new BatchDriver(bench.jdbi(), new Watched(bench.fleet.holds, before), mover);
  }

  /** Runs something before each quarantine. */
  private record Watched(Holds holds, Runnable before) implements Holds {
    @Override
    public List<String> end(End end) {
      return holds.end(end);
    }

    @Override
    public boolean quarantine(String grantId, String host, String reason) {
      before.run();
      return holds.quarantine(grantId, host, reason);
    }

    @Override
    public List<LockRecord> find(String grantId) {
      return holds.find(grantId);
    }

    @Override
    public Settled voidGrant(Proposed proposed, String reason) {
      return holds.voidGrant(proposed, reason);
    }

    @Override
    public LockTable table() {
      return holds.table();
    }
  }
}
