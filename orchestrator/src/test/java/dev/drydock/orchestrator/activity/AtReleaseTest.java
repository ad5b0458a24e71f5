package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who is read before anything is done, and what follows from the reading. */
@Tag("stack")
class AtReleaseTest {
  private static TestDatabase database;
  private static Fleet fleet;

  @BeforeAll
  static void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @Test
  void readsNobodyWhoIsNotThoughtToBeAtTheRelease() {
    String grant = fleet.granted("h01");
    thought("h01", "1");
    assertThat(pursue(grant, Phase.VERIFY)).isEqualTo(Status.DONE);
    assertThat(steps(grant)).isEqualTo("none");
  }

  @Test
  void readsOnceHoweverOftenItIsAskedAndWhateverRunAsks() {
    String grant = read("h02");
    BatchRun later = fleet.activities.begin(grant, "another run");
    assertThat(fleet.activities.pursue(later, Phase.VERIFY).status()).isEqualTo(Status.WAITING);
    assertThat(steps(grant)).isEqualTo("Verify");
    ends(grant, "Done");
    assertThat(fleet.activities.pursue(later, Phase.VERIFY).status()).isEqualTo(Status.NEEDLESS);
    fleet.activities.recordEnd(later);
    assertThat(states("r-h02")).isEqualTo("Skipped");
    assertThat(fleet.value("SELECT end_state FROM grants WHERE id = '" + grant + "'"))
        .isEqualTo("Skipped");
  }

  @Test
  void aReadingThatDisagreesMakesTheReleaseUnknownAndTheBatchGoOn() {
    String grant = read("h03");
    ends(grant, "Failed");
    assertThat(pursue(grant, Phase.VERIFY)).isEqualTo(Status.DONE);
    assertThat(fleet.value("SELECT COALESCE(release, 'unknown') FROM hosts WHERE name = 'h03'"))
        .isEqualTo("unknown");
    pursue(grant, Phase.FREEZE);
    assertThat(steps(grant)).isEqualTo("Verify,Freeze");
  }

  @Test
  void readsNobodyOnceSomethingWasBegun() {
    String grant = fleet.granted("h04");
    pursue(grant, Phase.FREEZE);
    thought("h04", "2");
    assertThat(pursue(grant, Phase.VERIFY)).isEqualTo(Status.DONE);
    assertThat(steps(grant)).isEqualTo("Freeze");
  }

  @Test
  void ofABatchOnlyTheHostsWithSomethingToDoGoOn() {
    fleet.host("h05");
    fleet.host("h06");
    fleet.rollout("r1", "h05", "h06");
    String grant = fleet.grant("r1", "h05", "h06");
    thought("h05", "2");
    pursue(grant, Phase.VERIFY);
    ends(grant, "Done");
    assertThat(pursue(grant, Phase.VERIFY)).isEqualTo(Status.DONE);
    pursue(grant, Phase.FREEZE);
    assertThat(
            fleet.value(
                "SELECT host FROM jobs WHERE step <> 'Verify' AND grant_id = '" + grant + "'"))
        .isEqualTo("h06");
    fleet.activities.turnBack(fleet.run(grant), new Progress(Status.HELD, "too few up"));
    fleet.activities.recordEnd(fleet.run(grant));
    assertThat(states("r1")).isEqualTo("Skipped,Pending");
  }

  /** A batch that waits for the reading of its host. */
  private static String read(String host) {
    String grant = fleet.granted(host);
    thought(host, "2");
    assertThat(pursue(grant, Phase.VERIFY)).isEqualTo(Status.WAITING);
    return grant;
  }

  private static Status pursue(String grant, Phase phase) {
    return fleet.activities.pursue(fleet.run(grant), phase).status();
  }

  private static void thought(String host, String release) {
    fleet.execute("UPDATE hosts SET release = '%s' WHERE name = '%s'".formatted(release, host));
  }

  private static void ends(String grant, String state) {
    fleet.execute(
        """
        UPDATE jobs SET state = '%s', attempt = 1, ended_at = clock_timestamp()
        WHERE grant_id = '%s' AND step = 'Verify'
        """
            .formatted(state, grant));
  }

  private static String states(String rollout) {
    return fleet.value(
        "SELECT string_agg(state, ',' ORDER BY host) FROM host_upgrades WHERE rollout = '"
            + rollout
            + "'");
  }

  private static String steps(String grant) {
    return fleet.value(
        "SELECT string_agg(step, ',' ORDER BY round) FROM jobs WHERE grant_id = '" + grant + "'");
  }
}
