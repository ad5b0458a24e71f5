package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which jobs let packages go to older versions. */
@Tag("stack")
class DowngradeTest {
  private final TestDatabase database = new TestDatabase();
  private final Fleet fleet = new Fleet(database.jdbi());

  @AfterEach
  void close() {
    database.close();
  }

  /** Each rollout takes up hosts of the one before. */
  @ParameterizedTest
  @CsvSource({
    "'', false",
    "'Retry', false",
    "'Retry,Retry', false",
    "'Revert', true",
    "'Revert,Retry', true",
    "'Revert,Retry,Retry', true",
  })
  void anUpdateMayGoBackIfItsRolloutTakesHostsBack(String origins, boolean back) {
    fleet.rollout("r0");
    String last = "r0";
    for (String origin : origins.isEmpty() ? new String[0] : origins.split(",")) {
      String next = last + "x";
      fleet.rollout(next);
      fleet.execute(
          "UPDATE rollouts SET origin = '%s', origin_rollout = '%s' WHERE id = '%s'"
              .formatted(origin, last, next));
      last = next;
    }
    fleet.host("h1");
    fleet.execute(
        "INSERT INTO host_upgrades (rollout, host, position, batch, state) VALUES ('%s', 'h1', 1, 1, 'Pending')"
            .formatted(last));
    fleet.activities.pursue(fleet.run(fleet.grant(last, "h1")), Phase.UPDATE);
    assertThat(downgrade("Update")).isEqualTo(String.valueOf(back));
  }

  @Test
  void noOtherStepOfARevertSaysSo() {
    fleet.rollout("r0");
    String drain = fleet.drainPublished("h1");
    fleet.execute("UPDATE rollouts SET origin = 'Revert', origin_rollout = 'r0' WHERE id = 'r-h1'");
    fleet.execute("UPDATE jobs SET state = 'Done' WHERE id = '" + drain + "'");
    fleet.activities.pursue(fleet.run(drain.replaceFirst("\\..*", "")), Phase.HEALTH);
    assertThat(downgrade("Drain")).isEqualTo("none");
    assertThat(downgrade("Health")).isEqualTo("none");
  }

  private String downgrade(String step) {
    return fleet.value(
        "SELECT COALESCE(spec->>'downgrade', 'none') FROM jobs WHERE step = '" + step + "'");
  }
}
