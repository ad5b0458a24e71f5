package dev.drydock.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobState;
import dev.drydock.lock.core.Candidates.Impound;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.metrics.Metrics;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Holds and grants that do not fit together, and, as controls, all that do. */
@Tag("stack")
class OrphanHoldsTest {
  private TestDatabase database;
  private Fleet fleet;
  private OrphanHolds orphans;
  private final Metrics metrics = new Metrics();
  private boolean agreed = true;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    orphans = new OrphanHolds(database.jdbi(), fleet.holds, metrics, () -> agreed);
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void aHoldOfNoGrantBecomesAQuarantine() {
    fleet.host("a");
    fleet.holds.commit("g99", List.of("a"));
    orphans.look();
    assertThat(kinds("a")).containsExactly(Kind.QUARANTINE);
    assertThat(metrics.orphans.labelValues("hold").get()).isEqualTo(1);
    orphans.look();
    assertThat(metrics.orphans.labelValues("hold").get()).as("once").isEqualTo(1);
  }

  @Test
  void aHoldOfAnEndedBatchThatIsThereAgainEndsAgain() {
    String grant = fleet.granted("b");
    end(grant, "b");
    fleet.holds.commit(grant, List.of("b"));
    orphans.look();
    assertThat(kinds("b")).isEmpty();
  }

  @Test
  void aBatchWithoutItsHoldIsLeftToPeopleAndItsHostLocked() {
    String job = fleet.drainPublished("c");
    String grant = fleet.rows.job(job).grant();
    lose(grant, "c");
    orphans.look();
    assertThat(state("c")).isEqualTo(HostUpgradeState.Quarantined);
    assertThat(fleet.rows.job(job).state()).isEqualTo(JobState.Cancelled);
    assertThat(fleet.candidates.impounds())
        .extracting(Impound::lockId, Impound::host, Impound::kind)
        .containsExactly(org.assertj.core.groups.Tuple.tuple(grant, "c", Kind.QUARANTINE));
    fleet.candidates.impounded(fleet.candidates.impounds().getFirst(), 7);
    assertThat(fleet.candidates.impounds()).isEmpty();
    orphans.look();
    assertThat(fleet.candidates.impounds()).as("found once").isEmpty();
  }

  /** The control of the others: they are found because both stores are of one time. */
  @Test
  void whatARestoredStoreDoesNotTellOfIsNoOrphan() {
    agreed = false;
    String grant = fleet.granted("h");
    lose(grant, "h");
    fleet.holds.commit("g99", List.of("i"));
    orphans.look();
    assertThat(state("h")).isEqualTo(HostUpgradeState.InProgress);
    assertThat(kinds("i")).containsExactly(Kind.BATCH);
    agreed = true;
    orphans.look();
    assertThat(state("h")).isEqualTo(HostUpgradeState.Quarantined);
    assertThat(kinds("i")).containsExactly(Kind.QUARANTINE);
  }

  @Test
  void whatFitsTogetherIsLeftAlone() {
    String provisional = fleet.granted("d");
    fleet.drainPublished("e");
    String ended = fleet.granted("f");
    fleet.asIf.batchEnded(ended, HostUpgradeState.Upgraded);
    String quarantined = fleet.granted("g");
    fleet.holds.quarantine(quarantined, "g", "broken");
    fleet.rollout("r-h", "d");
    orphans.look();
    assertThat(kinds("d")).containsExactly(Kind.BATCH);
    assertThat(kinds("e")).containsExactly(Kind.BATCH);
    assertThat(kinds("f")).as("the sweeper ends it").containsExactly(Kind.BATCH);
    assertThat(state("d")).isEqualTo(HostUpgradeState.InProgress);
    assertThat(state("g")).isEqualTo(HostUpgradeState.InProgress);
    assertThat(fleet.rows.batch(provisional).aborts()).isFalse();
    assertThat(fleet.candidates.impounds()).isEmpty();
  }

  private void end(String grant, String host) {
    lose(grant, host);
    fleet.asIf.batchEnded(grant, HostUpgradeState.Upgraded);
    fleet.asIf.holdEnded(grant);
  }

  private void lose(String grant, String host) {
    long token = fleet.holds.find(grant).getFirst().token();
    fleet.holds.end(new Holds.End(grant, List.of(host), token, 0, "nobody", "lost"));
  }

  private List<Kind> kinds(String host) {
    return fleet.holds.table().locks().values().stream()
        .filter(lock -> lock.host().equals(host))
        .map(LockRecord::kind)
        .toList();
  }

  private HostUpgradeState state(String host) {
    return fleet.rows.host("r-" + host, host).state();
  }
}
