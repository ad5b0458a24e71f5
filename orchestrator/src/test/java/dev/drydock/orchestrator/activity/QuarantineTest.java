package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Holds;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A broken host is recorded as such whatever became of its hold. */
@Tag("stack")
class QuarantineTest {
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
  void recordsAHostWhoseHoldPeopleEnded() {
    BatchRun run = broken("free");
    long token =
        Long.parseLong(
            fleet.value("SELECT hold_revision FROM grants WHERE id = '" + run.grant() + "'"));
    fleet.holds.end(new Holds.End(run.grant(), List.of("free"), token, 0, "sre", "by hand"));
    assertThat(fleet.activities.quarantine(run, Phase.UPDATE)).isZero();
    assertThat(fleet.activities.quarantine(run, Phase.UPDATE)).as("once more").isZero();
    assertThat(reason("free")).endsWith("; its hold was already ended by people");
    assertThat(fleet.holds.table().locks()).doesNotContainKey("free");
  }

  @Test
  void keepsTheHoldOfAHostThatHasOne() {
    assertThat(fleet.activities.quarantine(broken("kept"), Phase.UPDATE)).isZero();
    assertThat(reason("kept")).endsWith("is unknown");
    assertThat(fleet.holds.table().locks()).containsKey("kept");
  }

  private static BatchRun broken(String host) {
    String grant = fleet.granted(host);
    BatchRun run = fleet.run(grant);
    fleet.activities.pursue(run, Phase.UPDATE);
    fleet.execute(
        "UPDATE jobs SET state = 'Expired', attempt = 1 WHERE grant_id = '" + grant + "'");
    return run;
  }

  private static String reason(String host) {
    return fleet.value(
        "SELECT reason FROM host_upgrades WHERE state = 'Quarantined' AND host = '" + host + "'");
  }
}
