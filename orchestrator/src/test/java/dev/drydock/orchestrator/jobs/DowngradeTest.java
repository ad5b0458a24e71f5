package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.testkit.BatchRows;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which jobs let packages go to older versions. */
@Tag("stack")
class DowngradeTest {
  private static final String DOWNGRADE = "downgrade";

  private final TestDatabase database = new TestDatabase();
  private final Fleet fleet = new Fleet(database.jdbi());
  private final BatchRows rows = new BatchRows(database.jdbi(), fleet);

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
    List<String> line = origins.isEmpty() ? List.of() : List.of(origins.split(","));
    fleet.host("h1");
    for (int number = 0; number < line.size(); number++) {
      fleet.rollout("r" + number);
    }
    String last = "r" + line.size();
    fleet.rollout(last, "h1");
    for (int number = 0; number < line.size(); number++) {
      fleet.asIf.origin("r" + (number + 1), line.get(number), "r" + number);
    }
    String update = rows.reach(fleet.grant(last, "h1"), JobStep.Update);
    assertThat(rows.says(update, DOWNGRADE)).isEqualTo(String.valueOf(back));
  }

  @Test
  void noOtherStepOfARevertSaysSo() {
    fleet.rollout("r0");
    String grant = fleet.granted("h1");
    fleet.asIf.origin("r-h1", "Revert", "r0");
    String health = rows.reach(grant, JobStep.Health);
    assertThat(rows.says(health, DOWNGRADE)).isEqualTo("none");
    assertThat(rows.says(rows.job(grant, JobStep.Drain), DOWNGRADE)).isEqualTo("none");
  }
}
