package dev.drydock.orchestrator.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.OutcomeRows;
import dev.drydock.orchestrator.testkit.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is written of hosts that were read to be on the release, and when their rollout hears. */
@Tag("stack")
class BatchEndTest {
  private TestDatabase database;
  private Fleet fleet;
  private OutcomeRows rows;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    rows = new OutcomeRows(fleet);
    fleet.host("h1");
    fleet.host("h2");
    fleet.rollout("r1", "h1", "h2");
    rows.seemsOn("h1", "2");
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void theLastEndIsToldAtOnceAndThoseBeforeItInAMoment() {
    rows.seemsOn("h2", "2");
    assertThat(rows.toldAtOnce(skipped("h1"))).isFalse();
    assertThat(rows.toldAtOnce(skipped("h2"))).isTrue();
    assertThat(rows.hosts()).isEqualTo("h1 Skipped, h2 Skipped");
    assertThat(rows.told("HostSkipped")).isEqualTo(2);
  }

  /** A batch that ends because its host was read to be on the release. */
  private String skipped(String host) {
    String grant = fleet.grant("r1", host);
    fleet.drive(grant);
    fleet.done(grant, "Verify");
    assertThat(fleet.drive(grant).ended()).isTrue();
    assertThat(rows.end(grant)).isEqualTo("Skipped");
    return grant;
  }

  @Test
  void aReadingThatDisagreesMakesTheReleaseUnknownAndTheBatchGoOn() {
    String grant = fleet.grant("r1", "h1");
    fleet.drive(grant);
    fleet.workAsIf.ended(fleet.rows.waiting(grant, JobStep.Verify), JobStatus.FAILED);
    fleet.drive(grant);
    assertThat(rows.release("h1")).isEqualTo("unknown");
    assertThat(rows.rounds(grant)).isEqualTo("Verify Failed, Cordon Pending");
  }

  @Test
  void ofABatchThatGoesBackHostsOnTheReleaseAreSkippedAndTheOthersWait() {
    String grant = fleet.grant("r1", "h1", "h2");
    fleet.drive(grant);
    fleet.done(grant, "Verify");
    fleet.drive(grant);
    fleet.done(grant, "Cordon");
    fleet.drive(grant);
    fleet.decide(grant, Fleet.WAIT);
    fleet.drive(grant);
    fleet.done(grant, "Uncordon");
    assertThat(fleet.drive(grant).ended()).isTrue();
    assertThat(rows.hosts()).isEqualTo("h1 Skipped, h2 Pending");
  }

  @Test
  void aHostOnTheReleaseWithItsServicesStoppedIsNotDone() {
    fleet.execute("UPDATE instances SET health = 'Unhealthy' WHERE host = 'h1'");
    String grant = fleet.grant("r1", "h1");
    fleet.drive(grant);
    fleet.done(grant, "Verify");
    assertThat(fleet.drive(grant).ended()).isTrue();
    assertThat(rows.host("h1"))
        .startsWith("Reverted: not touched: on the release, but 1 of 1 instances are down; ");
  }
}
