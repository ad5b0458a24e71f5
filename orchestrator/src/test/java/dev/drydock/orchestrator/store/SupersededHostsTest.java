package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.OutcomeRows;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.orchestrator.testkit.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nobody takes a host back that another rollout brought further, unless it is asked for. */
@Tag("stack")
class SupersededHostsTest {
  private TestDatabase database;
  private Fleet fleet;
  private OutcomeRows rows;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    rows = new OutcomeRows(fleet);
    release("old", "1.9");
    release("new", "1.10");
    fleet.host("h1");
    rollout("r1", "old");
  }

  @AfterEach
  void stop() {
    database.close();
  }

  private void release(String name, String version) {
    fleet.execute(
        """
        INSERT INTO releases (name, spec, created_by) VALUES ('%1$s',
          '{"name": "%1$s", "channel": "http://x/2", "packages": {"agent": "%2$s"}, "kernel": "6"}', 'test')
        """
            .formatted(name, version));
  }

  private void rollout(String id, String release) {
    fleet.rollout(id, "h1");
    fleet.asIf.releaseOf(id, release);
  }

  /** Another rollout brought h1 to a release: its rows are those of a batch that has ended. */
  private void brought(String by, String release) {
    rollout(by, release);
    fleet.asIf.endedIn(by, "h1", HostUpgradeState.Upgraded);
    rows.seemsOn("h1", release);
  }

  private String state(String rollout) {
    Row.Host host = fleet.rows.host(rollout, "h1");
    return host.state() + ": " + host.reason();
  }

  private void skipWaiting() {
    database.jdbi().useTransaction(handle -> SupersededHosts.skipWaiting(handle, "h1"));
  }

  @Test
  void whoWaitsToBeBroughtToAnOlderReleaseIsSkippedWithTheNameOfTheOther() {
    brought("r2", "new");
    skipWaiting();
    assertThat(state("r1"))
        .isEqualTo(
            "Skipped: superseded by r2: the host is on release new, which is newer (agent would go"
                + " from 1.10 back to 1.9); rollout revert takes it back");
    assertThat(rows.told("HostSkipped")).isEqualTo(1);
    assertThat(fleet.rows.wakeUps())
        .filteredOn(woken -> woken.workflow().endsWith("r1"))
        .hasSize(1);
  }

  @Test
  void aBatchOfOneThatWasBroughtFurtherEndsBeforeAnyJob() {
    brought("r2", "new");
    String grant = fleet.grant("r1", "h1");
    assertThat(fleet.drive(grant).ended()).isTrue();
    assertThat(rows.end(grant)).isEqualTo("Skipped");
    assertThat(state("r1")).startsWith("Skipped: superseded by r2: ");
    assertThat(fleet.rows.jobs()).isEmpty();
    assertThat(rows.release("h1")).isEqualTo("new");
  }

  /** The control: of a host that is on an older release, or on one nobody can compare, none. */
  @Test
  void whoIsBroughtOnIsNotSkipped() {
    brought("r0", "2");
    skipWaiting();
    assertThat(state("r1")).startsWith("Pending");
    fleet.asIf.releaseOf("r1", "new");
    rows.seemsOn("h1", "old");
    skipWaiting();
    assertThat(state("r1")).startsWith("Pending");
    String grant = fleet.grant("r1", "h1");
    assertThat(fleet.drive(grant).ended()).isFalse();
    assertThat(fleet.rows.jobs()).extracting(Row.Job::step).containsExactly(JobStep.Cordon);
  }

  @Test
  void aRevertAndItsRetryTakeAHostBack() {
    brought("r2", "new");
    rollout("r3", "old");
    fleet.asIf.origin("r1", "Revert", "r2");
    fleet.asIf.origin("r3", "Retry", "r1");
    skipWaiting();
    assertThat(state("r1")).startsWith("Pending");
    assertThat(state("r3")).startsWith("Pending");
    String grant = fleet.grant("r1", "h1");
    assertThat(fleet.drive(grant).ended()).isFalse();
  }
}
