package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.store.GrantStore;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A batch whose run was lost while some of its hosts were being updated and others not yet. */
@Tag("stack")
class ReclaimTest {
  private static TestDatabase database;
  private static Fleet fleet;
  private static int hosts = 1;

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
  void hostsThatWereUpdatedComeBackAndTheOthersGoBack() {
    BatchRun run = lostInUpdate("a", "a1", "a2");
    assertThat(reclaim(run).status()).isEqualTo(Status.WAITING);
    assertThat(jobs(run, "Verify")).isEqualTo("a1");
    for (String step : new String[] {"Verify", "Health", "Recover"}) {
      assertThat(jobs(run, step)).isEqualTo("a1");
      end(run, step, "Done");
      if (!step.equals("Recover")) {
        assertThat(reclaim(run).status()).isEqualTo(Status.WAITING);
      }
    }
    Progress rest = reclaim(run);
    assertThat(rest.status()).isEqualTo(Status.HELD);
    assertThat(state("a1")).isEqualTo("Upgraded");
    assertThat(reclaim(run)).as("after a lost answer").isEqualTo(rest);
    fleet.activities.turnBack(run, rest);
    fleet.activities.recordEnd(run);
    assertThat(state("a2")).isEqualTo("Pending");
    assertThat(end(run)).isEqualTo("Held");
    assertThat(jobs(run, "Update")).as("none but those of the lost run").isEqualTo("a1 a2");
  }

  @Test
  void aHostThatIsNotOnTheReleaseStaysBehindAlone() {
    BatchRun run = lostInUpdate("b", "b1", "b2");
    reclaim(run);
    end(run, "Verify", "Failed");
    assertThat(reclaim(run).status()).isEqualTo(Status.BROKEN);
    assertThat(fleet.activities.quarantine(run, Phase.RECLAIM)).isEqualTo(1);
    assertThat(state("b1")).isEqualTo("Quarantined");
    assertThat(reclaim(run).status()).isEqualTo(Status.HELD);
  }

  /** I2: what it is given after the reading is newer than that. */
  @ParameterizedTest
  @EnumSource(names = {"Health", "Recover"})
  void whatSomebodyHasEndsBeforeItsHostIsRead(JobStep step) {
    BatchRun run = lostAt(step, "Claimed");
    assertThat(reclaim(run).status()).isEqualTo(Status.WAITING);
    assertThat(jobs(run, "Verify")).as("while somebody has it").isEqualTo("none");
    end(run, step.name(), "Done");
    reclaim(run);
    assertThat(rounds(run)).endsWith(step + " Done, Verify Pending");
  }

  @ParameterizedTest
  @EnumSource(names = {"Health", "Recover"})
  void whatNobodyHasIsAskedForAnewAfterItsHostWasRead(JobStep step) {
    for (String attempt : new String[] {"0", "1"}) {
      BatchRun run = lostAt(step, "Pending");
      fleet.execute("UPDATE jobs SET attempt = " + attempt + " WHERE state = 'Pending'");
      reclaim(run);
      assertThat(rounds(run)).endsWith(step + " Cancelled, Verify Pending");
      end(run, "Verify", "Done");
      reclaim(run);
      reclaim(run);
      assertThat(rounds(run)).endsWith(step + " Cancelled, Verify Done, " + step + " Pending");
    }
  }

  /** A remediation stops applications again once their host is updated. */
  @Test
  void aDrainAfterTheUpdateEndsBeforeItsHostIsRead() {
    BatchRun run = lostAt(JobStep.Recover, "Failed");
    fleet.execute(
        """
        INSERT INTO jobs (id, grant_id, step, host, round, run, topic, state, attempt, spec, deadline)
        SELECT 'drain-again', grant_id, 'Drain', host, 9, 1, topic, 'Claimed', 1, spec, deadline
        FROM jobs WHERE grant_id = '%s' AND step = 'Recover'
        """
            .formatted(run.grant()));
    assertThat(reclaim(run).status()).isEqualTo(Status.WAITING);
    assertThat(jobs(run, "Verify")).as("while somebody drains it").isEqualTo("none");
    end(run, "Drain", "Pending");
    reclaim(run);
    assertThat(rounds(run)).endsWith("Drain Cancelled, Verify Pending");
  }

  /** I5: its run was lost right after something was done to a host whose recovery nobody took. */
  @Test
  void aHostThatWasChangedSinceItWasJudgedIsJudgedAgain() {
    BatchRun run = lostInUpdate("d", "d1");
    reclaim(run);
    end(run, "Verify", "Done");
    reclaim(run);
    end(run, "Health", "Done");
    fleet.execute("UPDATE jobs SET round = 99 WHERE step = 'Update' AND host = 'd1'");
    reclaim(run);
    end(run, "Verify", "Done");
    assertThat(reclaim(run).status()).isEqualTo(Status.WAITING);
    assertThat(jobs(run, "Health")).isEqualTo("d1 d1");
    assertThat(jobs(run, "Recover")).isEqualTo("none");
  }

  @Test
  void anotherRunOrAnEndKeepsABatchFromBeingReclaimed() {
    BatchRun run = lostInUpdate("c", "c1", "c2");
    GrantStore grants = new GrantStore(database.jdbi());
    assertThat(grants.reclaim(run.grant(), 1, "looked too long ago")).isFalse();
    fleet.execute("UPDATE grants SET state = 'ended' WHERE id = '" + run.grant() + "'");
    assertThat(grants.reclaim(run.grant(), 2, "ended meanwhile")).isFalse();
  }

  /** Its first host was given to a consumer that updated it, its second to nobody. */
  private static BatchRun lostInUpdate(String rollout, String... hosts) {
    for (String host : hosts) {
      fleet.host(host);
    }
    fleet.rollout(rollout, hosts);
    String grant = fleet.grant(rollout, hosts);
    fleet.activities.pursue(fleet.run(grant), Phase.UPDATE);
    fleet.execute(
        "UPDATE jobs SET state = 'Done', attempt = 1 WHERE host = '%s'".formatted(hosts[0]));
    assertThat(new GrantStore(database.jdbi()).reclaim(grant, 1, "lost")).isTrue();
    BatchRun run = fleet.activities.begin(grant, "another");
    assertThat(run.reclaim()).isTrue();
    assertThat(run.run()).isEqualTo(2);
    return run;
  }

  /** It is updated, what comes before the step is done, and the step is as told. */
  private static BatchRun lostAt(JobStep step, String state) {
    String host = "e" + hosts++;
    fleet.host(host);
    fleet.rollout(host, host);
    String grant = fleet.grant(host, host);
    BatchRun lost = fleet.run(grant);
    fleet.activities.pursue(lost, Phase.UPDATE);
    end(lost, "Update", "Done");
    fleet.activities.pursue(lost, Phase.HEALTH);
    if (step == JobStep.Recover) {
      end(lost, "Health", "Done");
      fleet.activities.pursue(lost, Phase.RECOVER);
    }
    end(lost, step.name(), state);
    assertThat(new GrantStore(database.jdbi()).reclaim(grant, 1, "lost")).isTrue();
    return fleet.activities.begin(grant, "another");
  }

  private static Progress reclaim(BatchRun run) {
    return fleet.activities.pursue(run, Phase.RECLAIM);
  }

  private static void end(BatchRun run, String step, String state) {
    fleet.execute(
        """
        UPDATE jobs SET state = '%s', attempt = 1
        WHERE grant_id = '%s' AND step = '%s' AND state <> 'Cancelled'
        """
            .formatted(state, run.grant(), step));
  }

  private static String jobs(BatchRun run, String step) {
    return fleet.value(
        "SELECT string_agg(host, ' ' ORDER BY host) FROM jobs WHERE grant_id = '%s' AND step = '%s'"
            .formatted(run.grant(), step));
  }

  /** Its jobs in the order in which they were asked for. */
  private static String rounds(BatchRun run) {
    return fleet.value(
        """
        SELECT string_agg(step || ' ' || state, ', ' ORDER BY round) FROM jobs
        WHERE grant_id = '%s'
        """
            .formatted(run.grant()));
  }

  private static String state(String host) {
    return fleet.value("SELECT state FROM host_upgrades WHERE host = '%s'".formatted(host));
  }

  private static String end(BatchRun run) {
    return fleet.value("SELECT end_state FROM grants WHERE id = '%s'".formatted(run.grant()));
  }
}
