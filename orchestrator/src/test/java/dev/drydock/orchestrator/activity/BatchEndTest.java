package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How soon a rollout hears of batches that end as hoped. */
@Tag("stack")
class BatchEndTest {
  private TestDatabase database;
  private Fleet fleet;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    fleet.host("h1");
    fleet.host("h2");
    fleet.rollout("r1", "h1", "h2");
    fleet.execute("UPDATE hosts SET release = '2'");
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void theLastEndIsToldAtOnceAndThoseBeforeItInAMoment() {
    assertThat(toldAtOnce(skipped("h1"))).isEqualTo("f");
    assertThat(toldAtOnce(skipped("h2"))).isEqualTo("t");
  }

  /** A batch that ends because its host was read to be at the release. */
  private String skipped(String host) {
    String grant = fleet.grant("r1", host);
    BatchRun run = fleet.run(grant);
    fleet.activities.pursue(run, Phase.VERIFY);
    fleet.execute(
        """
        UPDATE jobs SET state = 'Done', attempt = 1, ended_at = clock_timestamp()
        WHERE grant_id = '%s'
        """
            .formatted(grant));
    fleet.activities.pursue(run, Phase.VERIFY);
    fleet.activities.recordEnd(run);
    return grant;
  }

  private String toldAtOnce(String grant) {
    return fleet.value(
        """
        SELECT w.due_at <= g.ended_at FROM wakeups w JOIN grants g ON g.id = w.cause
        WHERE w.workflow = 'rollout/r1' AND g.id = '%s'
        """
            .formatted(grant));
  }
}
