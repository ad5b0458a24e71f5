package dev.drydock.orchestrator.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.store.RolloutLifecycle;
import dev.drydock.orchestrator.testkit.BatchSteps;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every change of a host upgrade's state or step and of a rollout's state is in the feed, whoever
 * wrote it: the feed is compared with what a trigger of the test's own saw.
 */
@Tag("stack")
class NothingUntoldTest {
  private static final String WITNESS =
      """
      CREATE TABLE witnessed (n bigint GENERATED ALWAYS AS IDENTITY, told text);
      CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_TABLE_NAME = 'rollouts' THEN
          IF NEW.state <> OLD.state THEN
            INSERT INTO witnessed (told) VALUES (NEW.id || ' ' || NEW.state);
          END IF;
        ELSIF NEW.state <> OLD.state OR COALESCE(NEW.step, '') <> COALESCE(OLD.step, '') THEN
          INSERT INTO witnessed (told)
          VALUES (NEW.host || ' ' || NEW.state || ' ' || COALESCE(NEW.step, '-') || ' ' || NEW.reason);
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER witness BEFORE UPDATE ON host_upgrades FOR EACH ROW EXECUTE FUNCTION witness();
      CREATE TRIGGER witness BEFORE UPDATE ON rollouts FOR EACH ROW EXECUTE FUNCTION witness();
      """;
  private static final String WITNESSED =
      "SELECT COALESCE(string_agg(told, '; ' ORDER BY n), '') FROM witnessed";
  private static final String TOLD =
      """
      SELECT COALESCE(string_agg(
               CASE WHEN host IS NULL THEN rollout || ' ' || (data->>'state')
                    ELSE host || ' ' || (data->>'state') || ' ' || COALESCE(data->>'step', '-')
                         || ' ' || (data->>'reason') END, '; ' ORDER BY id), '')
      FROM events WHERE kind IN ('HostUpgradeChanged', 'RolloutChanged', 'RolloutEnded')
      """;

  private TestDatabase database;
  private Fleet fleet;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    fleet.execute(WITNESS);
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void theFeedTellsEveryChangeInItsOrder() {
    live();
    assertThat(fleet.value(TOLD))
        .isEqualTo(fleet.value(WITNESSED))
        .startsWith("h01 InProgress - ; h01 InProgress Cordon ; ")
        .contains(
            "h01 Quarantined ",
            "h02 Pending - too few up",
            "r1 Degraded",
            "h02 Upgraded End by hand");
  }

  /** The control: a database that does not tell is found out. */
  @Test
  void aChangeThatIsNotToldIsNoticed() {
    fleet.execute("ALTER TABLE host_upgrades DISABLE TRIGGER tell_host_upgrade");
    live();
    assertThat(fleet.value(TOLD)).isEqualTo("r1 Degraded").isNotEqualTo(fleet.value(WITNESSED));
  }

  /** One host is quarantined, the other held, voided, and at last written by hand. */
  private void live() {
    fleet.host("h01");
    fleet.host("h02");
    fleet.rollout("r1", "h01", "h02");
    String broken = fleet.grant("r1", "h01");
    new BatchSteps(fleet).reach(broken, Step.UPDATE);
    new BatchSteps(fleet).end(broken, JobStatus.EXPIRED);
    fleet.drive(broken);
    new BatchSteps(fleet).end(broken, JobStatus.FAILED); // Its diagnosis.
    fleet.drive(broken);

    new BatchSteps(fleet).held(fleet.grant("r1", "h02"));
    fleet.asIf.backOffOver();
    Proposal nothing =
        fleet
            .candidates
            .propose(new Candidate("c", "r1", List.of("h02"), "sre", "test"), Fleet.GRANT)
            .orElseThrow();
    fleet.candidates.voided(nothing.grantId(), "its grantor is gone");

    fleet.asIf.upgradedByHand("h02");
    assertThat(new RolloutLifecycle(database.jdbi()).advance("r1")).isTrue();
  }
}
